import type { ProtocolError } from '#agents/protocol-error.ts';
import { HttpRejection } from './errors.ts';

/** A refusal in the words of the protocol. */
export class ProtocolRejection extends HttpRejection {
  constructor(error: ProtocolError) {
    const { code, text, retryAfterSeconds } = error;
    const retryAfter = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
    super(code, text, retryAfter, { protocolError: error });
  }
}
