import { createHash, generateKeyPairSync } from 'node:crypto';
import type { ModuleDeps } from '#command/engine/module.ts';
import { isoInstant } from '#kernel/clock.ts';
import { newId } from '#kernel/ids.ts';
import type { KeyPair } from './signing-key.commands.ts';
import { SIGNING_KEYS, signingKeysStream } from './signing-key.stream.ts';

/** A new pair for ES256. Its name says the day, and eight digits of what is published. */
export const newKeyPair = (at: string): KeyPair => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '', d = '' } = privateKey.export({ format: 'jwk' });
  const digits = createHash('sha256').update(`${x}.${y}`).digest('hex').slice(0, 8);
  return { kid: `ucp-${at.slice(0, 10).replaceAll('-', '')}-${digits}`, x, y, privateKey: d };
};

/** Gives the shop a key if it has none: processes that start together share one (docs/rules/agents.md#signing-keys). */
export const ensureSigningKey = async ({
  streams,
  clock,
  reach,
}: Pick<ModuleDeps, 'streams' | 'clock' | 'reach'>): Promise<void> => {
  const { revision } = await streams.load(signingKeysStream, SIGNING_KEYS);
  if (revision >= 0) return;
  const at = isoInstant(clock.now());
  const correlationId = newId();
  const { position } = await streams.send(
    signingKeysStream,
    SIGNING_KEYS,
    { type: 'CreateFirstSigningKey', pair: newKeyPair(at), at },
    { correlationId, causationId: correlationId, actor: { kind: 'system', id: null } },
  );
  await reach(position);
};
