import type { OwnKeys } from '#agents/own-keys.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { signDetached } from '#signatures/detached-jws.ts';
import { signMessage } from '#signatures/sign-message.ts';
import type { Reply } from './reply.ts';

export interface AnswerSigning {
  readonly ownKeys: Pick<OwnKeys, 'signer'>;
  /** The shop's time in milliseconds. */
  readonly now: () => number;
}

/** Signs an answer that asks for it (docs/rules/agent-signatures.md#answers). */
export type SignAnswer = (reply: Reply) => Reply;

const lowerCased = (headers: Reply['headers'] = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const COMPONENTS = ['@status', 'content-digest', 'content-type'];

export const createSignAnswer =
  ({ ownKeys, now }: AnswerSigning): SignAnswer =>
  (reply) => {
    const { signedAs, status, text = '', headers } = reply;
    if (signedAs === undefined) return reply;
    const body = Buffer.from(text);
    try {
      const signer = ownKeys.signer();
      const added =
        signedAs === 'detached'
          ? { 'Request-Signature': signDetached(body, signer) }
          : signMessage({ status, headers: lowerCased(headers), body }, COMPONENTS, signer, { at: now() });
      return { ...reply, headers: { ...headers, ...added } };
    } catch (error) {
      // The work is done: without a key, the answer goes out unsigned.
      if (error instanceof EngineUnavailable) return reply;
      throw error;
    }
  };
