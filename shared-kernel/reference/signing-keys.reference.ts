import type { SigningKeyEvent } from '#events/signing-key.events.ts';
import type { PublishedKey, SigningKey } from '#values/signing-key.ts';
import type { TextCipher } from '#values/text-cipher.ts';
import { ChunkedEntries } from './chunked-entries.ts';
import type { SigningKeyReference } from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';

/** A key as a snapshot keeps it: its private half sealed. */
interface KeptKey extends Omit<SigningKey, 'privateHalf'> {
  readonly sealed: string | null;
}

const keep = ({ privateHalf, ...plain }: SigningKey, cipher: TextCipher): KeptKey => {
  const clear = privateHalf();
  return { ...plain, sealed: clear === null ? null : cipher.seal(clear) };
};

const unkeep = ({ sealed, ...plain }: KeptKey, cipher: TextCipher): SigningKey => {
  const clear = sealed === null ? null : cipher.open(sealed);
  return { ...plain, privateHalf: () => clear };
};

const MOST_REMOVED = 50;

/** The shop's keys. Private halves are decrypted in memory only; `cipher` seals them in the snapshot. */
export const createSigningKeyReference = (cipher: TextCipher): SigningKeyReference & ReferencePart => {
  const entries = new ChunkedEntries<SigningKey>({ keep: (key) => keep(key, cipher), isOrdered: true });
  let accepted: readonly SigningKey[] | null = null;
  let published: readonly PublishedKey[] | null = null;
  const known = (): readonly SigningKey[] => [...entries.values()];
  const forget = (): void => {
    accepted = null;
    published = null;
  };
  const put = (key: SigningKey): void => {
    entries.set(key.published.kid, key);
    forget();
  };
  const change = (kid: string, changes: Partial<SigningKey>): void => {
    const found = entries.get(kid);
    if (found) put({ ...found, ...changes });
  };
  const dropOldest = (): void => {
    const removed = known().filter(({ removedAt }) => removedAt !== null);
    for (const key of removed.slice(0, -MOST_REMOVED)) entries.delete(key.published.kid);
  };
  const on: Fold<SigningKeyEvent> = {
    SigningKeyCreated: ({ data: { kid, x, y, privateKey, signsFrom, at } }) =>
      put({
        published: { kid, kty: 'EC', crv: 'P-256', x, y, use: 'sig', alg: 'ES256' },
        createdAt: at,
        signsFrom,
        signsUntil: null,
        acceptedUntil: null,
        removedAt: null,
        privateHalf: () => privateKey,
      }),
    SigningKeySuperseded: ({ data: { kid, signsUntil, acceptedUntil } }) =>
      change(kid, { signsUntil, acceptedUntil }),
    SigningKeyRemoved: ({ data: { kid, at } }) => {
      change(kid, { removedAt: at, privateHalf: () => null });
      dropOldest();
    },
  };
  const acceptedNow = (): readonly SigningKey[] =>
    (accepted ??= known().filter(({ removedAt }) => removedAt === null));
  return {
    known,
    accepted: acceptedNow,
    published: () => (published ??= acceptedNow().map((key) => key.published)),
    name: 'signingKeys',
    version: 3,
    on,
    entries,
    restore: (kept) => {
      for (const [, key] of kept) put(unkeep(key as KeptKey, cipher));
    },
    clear: forget,
  };
};
