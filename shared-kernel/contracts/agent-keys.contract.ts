import { z } from 'zod';
import { isoInstant } from '#kernel/clock.ts';
import { signingKeyState, type SigningKey } from '#values/signing-key.ts';
import { publishedKey } from './agent-discovery.contract.ts';
import { listFields, pageOfAll, pageSchema } from './listing.contract.ts';

/** The shop's signing keys, as staff see them (docs/rules/agents.md#signing-keys). */

const agentKey = z.object({
  kid: z.string(),
  state: z.enum(['coming', 'active', 'retiring', 'removed']),
  dateCreated: z.string(),
  signsFrom: z.string(),
  /** Null until a successor is made. */
  signsUntil: z.string().nullable(),
  /** The earliest time of its removal. */
  acceptedUntil: z.string().nullable(),
  dateRemoved: z.string().nullable(),
  /** As manifests publish it (JWK). */
  publicKey: publishedKey,
});

export const agentKeyPage = pageSchema(agentKey);
export type AgentKeyPage = z.output<typeof agentKeyPage>;

export const rotateAgentKeys = z
  .strictObject({
    immediately: z.boolean('must be true or false').default(false),
    removeFormer: z.boolean('must be true or false').default(false),
  })
  .refine(({ immediately, removeFormer }) => immediately || !removeFormer, {
    path: ['removeFormer'],
    message: 'can be true only with immediately: true, as some key has to sign',
  });

interface Keys {
  known(): readonly SigningKey[];
  accepted(): readonly SigningKey[];
}

const { page, pageSize } = listFields(50);
export const agentKeyQuery = z.object({ page, pageSize });

/** Newest first. */
export const agentKeyList = (keys: Keys, now: number, query = agentKeyQuery.parse({})) => {
  const at = isoInstant(now);
  const items = keys.known().map((key) => {
    const { published, createdAt, signsFrom, signsUntil, acceptedUntil, removedAt } = key;
    const state = signingKeyState(key, keys.accepted(), at);
    const times = { dateCreated: createdAt, signsFrom, signsUntil, acceptedUntil, dateRemoved: removedAt };
    return { kid: published.kid, state, ...times, publicKey: published };
  });
  return pageOfAll(items.reverse(), query);
};
