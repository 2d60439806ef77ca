import type { ProtocolError, ProtocolErrorCode } from '#agents/protocol-error.ts';
import { defined } from '#kernel/defined.ts';
import { HttpRejection } from './errors.ts';

/** Refusals for which no token makes up: a client that is asked for one would throw away the one that it has. */
const ofSignatures: ReadonlySet<ProtocolErrorCode> = new Set([
  'signature_missing',
  'signature_invalid',
  'key_not_found',
]);

/** A refusal in the words of the protocol. */
export class ProtocolRejection extends HttpRejection {
  constructor(error: ProtocolError) {
    const {
      code,
      text,
      retryAfterSeconds,
      authenticate = ofSignatures.has(code) ? 'Signature' : undefined,
    } = error;
    const retryAfter = retryAfterSeconds === undefined ? undefined : String(retryAfterSeconds);
    const headers = defined({ 'Retry-After': retryAfter, 'WWW-Authenticate': authenticate });
    super(code, text, headers, { protocolError: error });
  }
}
