import { newKeyPair } from '#command/contexts/agent-protocol/signing-keys/first-signing-key.ts';
import type { OwnKeys } from '#agents/own-keys.ts';
import { isoInstant, type Clock } from '#kernel/clock.ts';
import { createOwnKeys } from '#runtime/own-keys.ts';
import type { SigningKey } from '#values/signing-key.ts';

/** A key that signs from an instant on, apart from any shop. */
export const freshKey = (signsFrom: string): SigningKey => {
  const { kid, x, y, privateKey } = newKeyPair(signsFrom);
  const published = { kid, kty: 'EC', crv: 'P-256', x, y, use: 'sig', alg: 'ES256' } as const;
  const times = { createdAt: signsFrom, signsFrom, signsUntil: null, acceptedUntil: null, removedAt: null };
  return { published, ...times, privateHalf: () => privateKey };
};

/** The keys of a shop that has but one. */
export const freshOwnKeys = (clock: Clock = Date): OwnKeys => {
  const accepted = [freshKey(isoInstant(clock.now()))];
  const published = accepted.map((key) => key.published);
  return createOwnKeys({ accepted: () => accepted, published: () => published }, clock);
};
