import type { AgentRequest } from '#agents/agent-request.ts';
import { defined } from '#kernel/defined.ts';
import { Rejection } from '#kernel/rejection.ts';
import { EngineUnavailable, StreamDamaged } from '#ports/engine-errors.ts';
import type { Refusal } from './refusals/refusal.ts';
import { refusalGroups, type RefusalCode } from './refusals/refusal-table.ts';
import type { CookieToSet, Reply } from './reply.ts';
import type { ErrorForm, Failure, Surface } from './surfaces/surface.ts';

const table: ReadonlyMap<string, Refusal> = new Map(
  refusalGroups.flatMap(({ refusals }) => Object.entries(refusals)),
);

/** What a rejection's code means; undefined for a code without a status (docs/rules/management.md#refusals). */
export const errorRow = (code: string): Refusal | undefined => table.get(code);

/** The code of what no rule foresees. */
const INTERNAL_ERROR: RefusalCode = 'internal-error';

/** Refusals of what was sent. With the body that a key is for, it is answered as before. */
const refusedBodies: ReadonlySet<string> = new Set([
  'invalid-request',
  'invalid-address',
  'idempotency-key-reused',
]);
/**
 * The same request may mean something else the next time: a yes to what the shopper was asked first, or a try after the
 * owner has set a payment method up.
 */
const askedAgain: ReadonlySet<string> = new Set(['basket-changed', 'no-payment-method']);

/** True when the answer to this error must not be kept under an idempotency key: the next try may fare better. */
export const isNotForKeeping = (error: unknown): boolean => {
  if (!(error instanceof Rejection)) return true;
  const row = errorRow(error.code);
  if (row === undefined || row.retryAfterSeconds !== undefined || row.status >= 500) return true;
  if (row.status === 401 || row.status === 403) return true;
  return askedAgain.has(error.code) || refusedBodies.has(error.code);
};

/** A refusal with header fields of its own (`Allow`, a `Retry-After` that is known better than the table's). */
export class HttpRejection extends Rejection {
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: RefusalCode,
    message: string,
    headers: Readonly<Record<string, string>>,
    details: Rejection['details'] = {},
  ) {
    super(code, message, details);
    this.headers = headers;
  }
}

/** A refusal by which the visitor's browser remembers something. */
export class RejectionWithCookies extends Rejection {
  readonly cookies: readonly CookieToSet[];

  constructor(
    { code, message, position }: Rejection,
    details: Rejection['details'],
    cookies: readonly CookieToSet[],
  ) {
    super(code, message, details, position);
    this.cookies = cookies;
  }
}

const engineUnavailable = new Rejection(
  'engine-unavailable',
  'The shop cannot reach its storage at the moment. Please try again shortly.',
);

/**
 * The answer to an error, in the form of its surface. Refusals say why; anything else is a 500 that says nothing but
 * the correlation id, by which the log has it, and the stream of which a part is gone.
 */
export const errorReply = (
  { errors }: Surface,
  error: unknown,
  correlationId: string,
  agent: AgentRequest | null = null,
): Reply => {
  const refusal = error instanceof EngineUnavailable ? engineUnavailable : error;
  const row = refusal instanceof Rejection ? errorRow(refusal.code) : undefined;
  const request = { correlationId, agent };
  if (refusal instanceof Rejection && row) return refusalReply(errors, refusal, row, request);
  const message = error instanceof StreamDamaged ? damaged(error) : unforeseen;
  const failure = { status: 500, code: INTERNAL_ERROR, message, details: { correlationId }, ...request };
  return { status: 500, ...errors.write(failure) };
};

const unforeseen = 'Something went wrong on our side. Quote the correlation id when you report it.';

const damaged = ({ stream }: StreamDamaged): string =>
  `Part of what the shop has recorded is missing (${stream}), so nothing was changed. Quote the correlation id when you report it.`;

const refusalReply = (
  form: ErrorForm,
  refusal: Rejection,
  { status, retryAfterSeconds }: Refusal,
  request: Pick<Failure, 'correlationId' | 'agent'>,
): Reply => {
  const { code, message, details, position } = refusal;
  const challenge = status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {};
  const own = refusal instanceof HttpRejection ? refusal.headers : {};
  const { headers, ...written } = form.write({ status, code, message, details, ...request });
  const isRetried = form.retriedStatuses?.has(written.status ?? status) ?? false;
  const seconds = retryAfterSeconds ?? (isRetried ? 1 : undefined);
  const retryAfter = seconds === undefined ? {} : { 'Retry-After': String(seconds) };
  return {
    status,
    code,
    ...written,
    ...defined({ position }),
    ...(refusal instanceof RejectionWithCookies && { cookies: refusal.cookies }),
    headers: { ...retryAfter, ...challenge, ...own, ...headers },
  };
};
