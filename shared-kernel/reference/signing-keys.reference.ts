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

/** The keys of the shop. Their private halves are in clear in memory only, and sealed by `cipher` in the snapshot. */
export const createSigningKeyReference = (cipher: TextCipher): SigningKeyReference & ReferencePart => {
  const entries = new ChunkedEntries<SigningKey>({ keep: (key) => keep(key, cipher), isOrdered: true });
  let accepted: readonly SigningKey[] | null = null;
  let published: readonly PublishedKey[] | null = null;
  const forget = (): void => {
    accepted = null;
    published = null;
  };
  const put = (key: SigningKey): void => {
    entries.set(key.published.kid, key);
    forget();
  };
  const on: Fold<SigningKeyEvent> = {
    SigningKeyCreated: ({ data: { kid, x, y, privateKey, signsFrom } }) =>
      put({
        published: { kid, kty: 'EC', crv: 'P-256', x, y, use: 'sig', alg: 'ES256' },
        signsFrom,
        privateHalf: () => privateKey,
      }),
  };
  const acceptedNow = (): readonly SigningKey[] => (accepted ??= [...entries.values()]);
  return {
    accepted: acceptedNow,
    published: () => (published ??= acceptedNow().map((key) => key.published)),
    name: 'signingKeys',
    version: 2,
    on,
    entries,
    restore: (kept) => {
      for (const [, key] of kept) put(unkeep(key as KeptKey, cipher));
    },
    clear: forget,
  };
};
