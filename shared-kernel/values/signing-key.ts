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

/** Published but not signing yet; signing; accepted still, for what it has signed; no longer accepted. */
export type SigningKeyState = 'coming' | 'active' | 'retiring' | 'removed';

/** A key of the shop. All times are ISO instants. */
export interface SigningKey {
  readonly published: PublishedKey;
  readonly createdAt: string;
  readonly signsFrom: string;
  /** Null while no other key is to follow it. */
  readonly signsUntil: string | null;
  /** It is removed then at the earliest; null likewise. */
  readonly acceptedUntil: string | null;
  readonly removedAt: string | null;
  /** Base64url. A function, so that no log line, dump or answer shows it. Null: removed, or no key opens it. */
  readonly privateHalf: () => string | null;
}

/**
 * The one of them that signs at an instant; `keys`: those that are accepted, in the order of their making. The first of
 * all signs before its time, too: a clock that is behind the one that made it finds no other.
 */
export const signsAt = <Key extends Pick<SigningKey, 'signsFrom'>>(
  keys: readonly Key[],
  at: string,
): Key | undefined => keys.findLast(({ signsFrom }) => signsFrom <= at) ?? keys[0];

type Times = Pick<SigningKey, 'signsFrom' | 'signsUntil' | 'removedAt'>;

/** What a key is at an instant; `accepted` as above. */
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
