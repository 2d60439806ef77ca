import type { DialectName } from '../agent-request.ts';
import type { DialectContext, Json } from '../dialects.ts';
import type { ProtocolError } from '../protocol-error.ts';
import type { ProtocolMessage } from '../protocol-parts.ts';
import { currentWording, olderWording, present } from './parts.ts';

/** The form of a refusal by the protocol itself. Agents look for either pair of names. */
export const protocolErrorBody = ({ code, text, continueUrl }: ProtocolError): Json =>
  present({ code, content: text, continue_url: continueUrl, error: code, message: text });

const messagesOf = ({ messages, ...error }: ProtocolError): readonly ProtocolMessage[] =>
  messages && messages.length > 0 ? messages : [{ type: 'error', content: error.text, ...error }];

type ErrorForm = (error: ProtocolError, context: Pick<DialectContext, 'version'>) => Json;

const currentError: ErrorForm = (error, { version }) =>
  present({
    ucp: { version, status: 'error' },
    messages: messagesOf(error).map(currentWording.message),
    continue_url: error.continueUrl,
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
    messages: messagesOf(error).map(olderWording.message),
  }),
};
