import type { OwnKeys, Signer } from '#agents/own-keys.ts';
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

/** So long a reply that is given again bears the signature that it had: short beside the 300 s for which one counts. */
const KEPT_MILLISECONDS = 10_000;

/** A reply as it was sent, and by which key. */
interface Signed {
  readonly reply: Reply;
  readonly signer: Signer;
  readonly at: number;
}

const lowerCased = (headers: Reply['headers'] = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const COMPONENTS = ['@status', 'content-digest', 'content-type'];

const withSignature = (reply: Reply, signer: Signer, at: number): Reply => {
  const { signedAs, status, text = '', headers } = reply;
  const body = Buffer.from(text);
  const added =
    signedAs === 'detached'
      ? { 'Request-Signature': signDetached(body, signer) }
      : signMessage({ status, headers: lowerCased(headers), body }, COMPONENTS, signer, { at });
  return { ...reply, headers: { ...headers, ...added } };
};

/** Another key, or a clock that was put back, makes another signature. */
const isStill = (before: Signed | undefined, signer: Signer, at: number): before is Signed =>
  before !== undefined && before.signer === signer && at >= before.at && at - before.at < KEPT_MILLISECONDS;

/** The very same reply is the same status, bytes and fields; a signature lives no longer than what it is of. */
export const createSignAnswer = ({ ownKeys, now }: AnswerSigning): SignAnswer => {
  const signed = new WeakMap<Reply, Signed>();
  return (reply) => {
    if (reply.signedAs === undefined) return reply;
    try {
      const signer = ownKeys.signer();
      const at = now();
      const before = signed.get(reply);
      if (isStill(before, signer, at)) return before.reply;
      const after = withSignature(reply, signer, at);
      signed.set(reply, { reply: after, signer, at });
      return after;
    } catch (error) {
      // The work is done: without a key, the answer goes out unsigned.
      if (error instanceof EngineUnavailable) return reply;
      throw error;
    }
  };
};
