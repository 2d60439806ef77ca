import { subscribe } from 'node:diagnostics_channel';
import { responseChannel, type ResponseSent } from '#http/response-channel.ts';
import { errorRow } from '#http/errors.ts';
import { declaredErrors } from '#http/openapi.ts';

/** What the apps of this process answered lately, by correlation id. */
const latest = new Map<string, ResponseSent>();
const kept = 1000;

subscribe(responseChannel, (message) => {
  const answered = message as ResponseSent;
  latest.set(answered.correlationId, answered);
  const [oldest] = latest.keys();
  if (latest.size > kept && oldest !== undefined) latest.delete(oldest);
});

/** What is wrong with an answer that a route gave; null where it is one that the route declares. */
const undeclared = ({ route, status, code }: ResponseSent): string | null => {
  if (route === null) return null;
  const where = `${route.file}: ${route.method} ${route.surface.name} ${route.path}`;
  const errors = declaredErrors(route);
  if (code !== null) return errors.has(code) ? null : `${where} answers ${code}, which it does not declare`;
  const success = route.status ?? (route.response ? 200 : 204);
  if ((status === 302 || status === 303) && route.sendsBrowsersOn) return null;
  if (status === 206 && route.isInParts) return null;
  if (status === 200 && route.returnsExisting) return null;
  const isDeclared = status === success || [...errors].some((one) => errorRow(one)?.status === status);
  return isDeclared ? null : `${where} answers ${status} and declares ${success}`;
};

/**
 * The code of the refusal with this correlation id; null where there is none, or where the shop runs in another
 * process. Throws when the route does not declare such an answer. No route declares a defect: who has made one says so.
 */
export const codeOfDeclared = (correlationId: string | null, expectsDefects: boolean): string | null => {
  const answered = correlationId === null ? undefined : latest.get(correlationId);
  if (answered === undefined) return null;
  latest.delete(answered.correlationId);
  const problem = expectsDefects && answered.status === 500 ? null : undeclared(answered);
  if (problem !== null) throw new Error(problem);
  return answered.code;
};
