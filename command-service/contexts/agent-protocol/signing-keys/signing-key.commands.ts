/** A pair of keys, made for this command. */
export interface KeyPair {
  readonly kid: string;
  readonly x: string;
  readonly y: string;
  readonly privateKey: string;
}

/** Gives the shop its first key, which signs at once; not where it has one. */
export interface CreateFirstSigningKey {
  readonly type: 'CreateFirstSigningKey';
  readonly pair: KeyPair;
  /** ISO instant. */
  readonly at: string;
}

export type SigningKeyCommand = CreateFirstSigningKey;
