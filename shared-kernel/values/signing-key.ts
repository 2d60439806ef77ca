/** A public key as manifests publish it (JWK). */
export interface PublishedKey {
  readonly kid: string;
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
  readonly use: 'sig';
  readonly alg: 'ES256';
}

/** Published but not signing yet; signing; still accepted; no longer accepted. */
export type SigningKeyState = 'coming' | 'active' | 'retiring' | 'removed';

/** A key of the shop. All times are ISO instants. */
export interface SigningKey {
  readonly published: PublishedKey;
  readonly createdAt: string;
  readonly signsFrom: string;
  /** Null until a successor is made. */
  readonly signsUntil: string | null;
  /** The earliest time of its removal; null likewise. */
  readonly acceptedUntil: string | null;
  readonly removedAt: string | null;
  /** Base64url. A function, so that no log line, dump or answer shows it. Null: removed, or no key opens it. */
  readonly privateHalf: () => string | null;
}

/**
 * The key that signs at an instant; `keys`: the accepted ones, oldest first. The first of all signs early, too: a clock
 * behind the one that made it finds no other.
 */
export const signsAt = <Key extends Pick<SigningKey, 'signsFrom'>>(
  keys: readonly Key[],
  at: string,
): Key | undefined => keys.findLast(({ signsFrom }) => signsFrom <= at) ?? keys[0];

type Times = Pick<SigningKey, 'signsFrom' | 'signsUntil' | 'removedAt'>;

/** The state of a key at an instant; `accepted` as `keys` above. */
export const signingKeyState = <Key extends Times>(
  key: Key,
  accepted: readonly Key[],
  at: string,
): SigningKeyState => {
  if (key.removedAt !== null) return 'removed';
  if (key === signsAt(accepted, at)) return 'active';
  const isFollowed = key.signsUntil !== null && key.signsUntil <= at;
  return key.signsFrom > at && !isFollowed ? 'coming' : 'retiring';
};
