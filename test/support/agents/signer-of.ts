import type { PublicKey } from '#agents/agent-profile.ts';
import { verifyDetached } from '#signatures/detached-jws.ts';
import { fieldValue, type HttpMessage } from '#signatures/http-message.ts';
import { verifyMessage } from '#signatures/verify-message.ts';
import type { Received } from '../subscriber.ts';

/**
 * Which of these keys has signed a message, in the form of its version; null: none has. How old the signature is does
 * not matter.
 */
export const signerOf = (
  message: HttpMessage,
  keys: readonly PublicKey[],
  needed: readonly string[] = [],
): string | null => {
  const { headers, body } = message;
  const findKey = (kid: string) => keys.find((key) => key.kid === kid);
  const detached = fieldValue(headers, 'request-signature');
  const now = Number(/created=(\d+)/.exec(fieldValue(headers, 'signature-input') ?? '')?.[1]) * 1000;
  const verified =
    detached === undefined
      ? verifyMessage(message, findKey, { now, needed })
      : verifyDetached(detached, body, findKey);
  return verified.kind === 'verified' ? verified.kid : null;
};

/** As `signerOf`, of a notice to a receiver at `base`. */
export const noticeSigner = (
  { path, headers, body }: Received,
  base: string,
  keys: readonly PublicKey[],
): string | null => {
  const message = { method: 'POST', url: new URL(path, base).href, headers, body };
  return signerOf(message, keys, ['content-digest', 'webhook-id', 'webhook-timestamp']);
};
