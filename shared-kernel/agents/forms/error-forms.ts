import type { DialectName } from '../agent-request.ts';
import type { DialectContext, Json } from '../dialects.ts';
import type { ProtocolError } from '../protocol-error.ts';
import type { ProtocolMessage, Severity } from '../protocol-parts.ts';

/** The form of a refusal by the protocol itself. Agents look for either pair of names. */
export const protocolErrorBody = ({ code, text, continueUrl }: ProtocolError): Json => ({
  code,
  content: text,
  ...(continueUrl !== undefined && { continue_url: continueUrl }),
  error: code,
  message: text,
});

const messagesOf = ({ code, text, path, severity, messages }: ProtocolError): readonly ProtocolMessage[] =>
  messages && messages.length > 0
    ? messages
    : [
        {
          type: 'error',
          code,
          content: text,
          ...(path !== undefined && { path }),
          ...(severity !== undefined && { severity }),
        },
      ];

/** The older version knows no error that nobody can mend. */
const olderSeverity = (severity: Severity): Severity =>
  severity === 'unrecoverable' ? 'requires_buyer_input' : severity;

const severityOf = ({ severity = 'recoverable' }: ProtocolMessage, isOlder: boolean): Severity =>
  isOlder ? olderSeverity(severity) : severity;

const writeMessage = (message: ProtocolMessage, isOlder: boolean): Json => ({
  type: message.type,
  code: message.code,
  content: message.content,
  ...(message.path !== undefined && { path: message.path }),
  ...(message.type === 'error' && { severity: severityOf(message, isOlder) }),
});

/** A word to the agent, as answers of the current version have it. */
export const message = (one: ProtocolMessage): Json => writeMessage(one, false);

/** The same in the older version. */
export const olderMessage = (one: ProtocolMessage): Json => writeMessage(one, true);

type ErrorForm = (error: ProtocolError, context: Pick<DialectContext, 'version'>) => Json;

const currentError: ErrorForm = (error, { version }) => ({
  ucp: { version, status: 'error' },
  messages: messagesOf(error).map(message),
  ...(error.continueUrl !== undefined && { continue_url: error.continueUrl }),
});

/** Refusals of the business. */
export const errorForms: Readonly<Record<DialectName, ErrorForm>> = {
  '2026-04-08': currentError,
  draft: currentError,
  '2026-01-11': (error) => ({
    detail: error.text,
    code: error.code,
    error: error.code,
    message: error.text,
    messages: messagesOf(error).map(olderMessage),
  }),
};
