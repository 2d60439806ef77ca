import type { ProtocolError } from '#agents/protocol-error.ts';
import { defined } from '#kernel/defined.ts';
import { HttpRejection } from './errors.ts';

/** A refusal in the words of the protocol. */
export class ProtocolRejection extends HttpRejection {
  constructor(error: ProtocolError) {
    const { code, text, retryAfterSeconds, authenticate } = error;
    const retryAfter = retryAfterSeconds === undefined ? undefined : String(retryAfterSeconds);
    const headers = defined({ 'Retry-After': retryAfter, 'WWW-Authenticate': authenticate });
    super(code, text, headers, { protocolError: error });
  }
}
