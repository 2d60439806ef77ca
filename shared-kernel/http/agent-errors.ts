import { versionOf } from '#agents/dialect-choice.ts';
import { errorForms, protocolErrorBody } from '#agents/forms/error-forms.ts';
import {
  isOfProtocol,
  isProtocolErrorCode,
  type ProtocolError,
  type ProtocolErrorCode,
} from '#agents/protocol-error.ts';
import { jsonPath } from '#agents/json-path.ts';
import { agentErrorBody } from '#contracts/agent-error.contract.ts';
import { defined } from '#kernel/defined.ts';
import { ProtocolRejection } from './protocol-rejection.ts';
import type { ErrorForm, Failure, Problem } from './surfaces/surface.ts';

/** Refusals that any part of the shop may give, where the protocol has another word for them. */
const translations: Readonly<Record<string, ProtocolErrorCode>> = {
  'invalid-request': 'invalid',
  cancelled: 'invalid',
  'shown-as-it-was': 'method_not_allowed',
  'body-too-large': 'payload_too_large',
  'command-too-large': 'payload_too_large',
  'idempotency-key-reused': 'idempotency_conflict',
  'request-in-progress': 'idempotency_in_progress',
};

const byStatus = new Map<number, ProtocolErrorCode>([
  [401, 'identity_required'],
  [402, 'payment_failed'],
  [403, 'access_denied'],
  [404, 'not_found'],
  [409, 'conflict'],
  [413, 'payload_too_large'],
  [429, 'rate_limited'],
  [503, 'service_unavailable'],
]);

const codeOf = ({ code, status }: Failure): ProtocolErrorCode => {
  // Most words are the same, in the protocol's spelling.
  const spelt = code.replaceAll('-', '_');
  if (isProtocolErrorCode(spelt)) return spelt;
  return translations[code] ?? byStatus.get(status) ?? (status >= 500 ? 'internal_error' : 'invalid');
};

const textOf = ({ code, message, details, correlationId }: Failure): string => {
  if (code === 'internal-error') return `${message} (${correlationId})`;
  const { errors } = details;
  return Array.isArray(errors) ? errors.join('; ') : message;
};

/** A failure in the protocol's words. */
const protocolErrorOf = (failure: Failure): ProtocolError =>
  (failure.details['protocolError'] as ProtocolError | undefined) ?? {
    code: codeOf(failure),
    text: textOf(failure),
  };

/** Nothing at an address concerns the protocol; no such session, the business. */
const isWrittenByProtocol = ({ code }: Failure, error: ProtocolError): boolean =>
  code === 'not-found' || isOfProtocol(error.code);

/** Refusals on agent paths, in the dialect of the request. */
export const agentErrors: ErrorForm = {
  name: 'AgentError',
  schema: agentErrorBody,
  retriedStatuses: new Set([409, 429, 503]),
  write: (failure) => {
    const error = protocolErrorOf(failure);
    const { agent } = failure;
    // Before it is known who asks, only the protocol refuses.
    const body =
      agent === null || isWrittenByProtocol(failure, error)
        ? protocolErrorBody(error)
        : errorForms[agent.dialect](error, { version: versionOf(agent.ownVersion, agent.dialect) });
    return {
      status: error.httpStatus ?? failure.status,
      code: error.code,
      text: JSON.stringify(body),
      headers: agentHeaders,
    };
  },
};

/** As the protocol names it, without a charset. */
export const agentHeaders = { 'Content-Type': 'application/json' } as const;

/** What is wrong with a request, all of it at once. */
export const agentProblems = (
  problems: readonly { readonly code: 'missing' | 'invalid'; readonly path: string; readonly text: string }[],
  httpStatus?: number,
): ProtocolRejection => {
  const messages = problems.map(
    ({ code, path, text }) =>
      ({ type: 'error', code, path, content: text, severity: 'recoverable' }) as const,
  );
  const [first] = problems;
  return new ProtocolRejection({
    code: first?.code ?? 'invalid',
    text: problems.map(({ path, text }) => `${path}: ${text}`).join('; '),
    ...(first && { path: first.path }),
    messages,
    ...defined({ httpStatus }),
  });
};

/** What is wrong beside the members of the body: its depth, say. */
export const requestProblems = (problems: readonly Problem[]): ProtocolRejection =>
  agentProblems(
    problems.map(([path, text]) => ({
      code: 'invalid',
      path: jsonPath(path === '' ? [] : path.split('.')),
      text,
    })),
  );
