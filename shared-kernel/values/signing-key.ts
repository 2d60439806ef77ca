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

/** A key of the shop that others accept. */
export interface SigningKey {
  readonly published: PublishedKey;
  /** ISO instant. */
  readonly signsFrom: string;
  /** Base64url. A function, so that no log line, dump or answer shows it. Null: no key opens it. */
  readonly privateHalf: () => string | null;
}

/**
 * The one of them that signs at an instant; `keys` in the order of their making. The first of all signs before its
 * time, too: a clock that is behind the one that made it finds no other.
 */
export const signsAt = <Key extends Pick<SigningKey, 'signsFrom'>>(
  keys: readonly Key[],
  at: string,
): Key | undefined => keys.findLast(({ signsFrom }) => signsFrom <= at) ?? keys[0];
