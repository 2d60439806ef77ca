import type { SigningKeyEvent } from '#events/signing-key.events.ts';
import { ChunkedEntries } from './chunked-entries.ts';
import type { PublishedKey, SigningKeyReference } from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';

/** The keys by which others may check the shop's signatures. Private halves stay in the log. */
export const createSigningKeyReference = (): SigningKeyReference & ReferencePart => {
  const entries = new ChunkedEntries<PublishedKey>({ isOrdered: true });
  let published: readonly PublishedKey[] | null = null;
  const put = (key: PublishedKey): void => {
    entries.set(key.kid, key);
    published = null;
  };
  const on: Fold<SigningKeyEvent> = {
    SigningKeyCreated: ({ data: { kid, x, y } }) =>
      put({ kid, kty: 'EC', crv: 'P-256', x, y, use: 'sig', alg: 'ES256' }),
  };
  return {
    published: () => (published ??= [...entries.values()]),
    name: 'signingKeys',
    version: 1,
    on,
    entries,
    restore: (kept) => {
      for (const [, key] of kept) put(key as PublishedKey);
    },
    clear: () => {
      published = null;
    },
  };
};
