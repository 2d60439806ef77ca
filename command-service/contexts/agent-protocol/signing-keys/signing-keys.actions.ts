import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { ModuleDeps } from '#command/engine/module.ts';
import { manifestMaxAgeSeconds } from '#agents/manifest-max-age.ts';
import { isoInstant } from '#kernel/clock.ts';
import type { Config } from '#runtime/config.ts';
import { newKeyPair } from './first-signing-key.ts';
import { SIGNING_KEYS, signingKeysStream } from './signing-key.stream.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const LEAST_ACCEPTED = 7 * DAY;

export interface RotationWish {
  /** Default: once every kept copy of the manifest has expired. */
  readonly immediately?: boolean;
  /** Removes all earlier keys at once. */
  readonly removeFormer?: boolean;
}

export type Tended = Readonly<Record<'rotated' | 'removed', number>>;

type Deps = Pick<ModuleDeps, 'streams' | 'clock' | 'config' | 'reach'>;

/** What a key has signed is shown for this long, while sessions are open and answers are repeated. */
const acceptedFor = ({ sessionTtlMinutes, idempotencyTtlHours }: Config['protocol']['ucp']): number =>
  Math.max(LEAST_ACCEPTED, sessionTtlMinutes * MINUTE, idempotencyTtlHours * HOUR);

/** How signing keys are rotated (docs/rules/agents.md#signing-keys). */
export const createSigningKeyActions = ({ streams, clock, config: { protocol }, reach }: Deps) => {
  const newestKey = async () => (await streams.load(signingKeysStream, SIGNING_KEYS)).state.keys.at(-1);

  const follow = async (replacing: string, wish: RotationWish, meta: CommandMeta) => {
    const now = clock.now();
    const at = isoInstant(now);
    const { immediately = false, removeFormer = false } = wish;
    const from = immediately ? now : now + manifestMaxAgeSeconds(protocol) * 1000;
    const sent = await streams.send(
      signingKeysStream,
      SIGNING_KEYS,
      {
        type: 'RotateSigningKey',
        pair: newKeyPair(at),
        replacing,
        signsFrom: isoInstant(from),
        formerAcceptedUntil: removeFormer ? null : isoInstant(from + acceptedFor(protocol.ucp)),
        at,
      },
      meta,
    );
    await reach(sent.position);
    return sent;
  };

  return {
    /** Does nothing while a rotation is under way, unless this one is immediate. */
    rotate: async (wish: RotationWish, meta: CommandMeta): Promise<{ readonly position: number }> => {
      const newest = await newestKey();
      if (!newest) throw new TypeError('a key is rotated before there is one');
      return follow(newest.kid, wish, meta);
    },
    /** Replaces a key that is old enough, and removes those that nothing needs any more. */
    tend: async (now: number, meta: CommandMeta): Promise<Tended> => {
      const days = protocol.ucp.signingKeyRotationDays;
      const newest = await newestKey();
      const isOld = newest && days > 0 && Date.parse(newest.createdAt) + days * DAY <= now;
      const begun = isOld ? (await follow(newest.kid, {}, meta)).events.length : 0;
      const command = { type: 'RemoveRetiredSigningKeys', at: isoInstant(now) } as const;
      const { events, position } = await streams.send(signingKeysStream, SIGNING_KEYS, command, meta);
      await reach(position);
      return { rotated: begun > 0 ? 1 : 0, removed: events.length };
    },
  };
};

export type SigningKeyActions = ReturnType<typeof createSigningKeyActions>;
