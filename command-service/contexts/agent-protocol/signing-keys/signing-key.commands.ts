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

/** Replaces the active key by a new one. All times are ISO instants. */
export interface RotateSigningKey {
  readonly type: 'RotateSigningKey';
  readonly pair: KeyPair;
  /** The newest key that the caller knows: if there is a newer one, another process has rotated meanwhile. */
  readonly replacing: string;
  /** `at`: immediately. */
  readonly signsFrom: string;
  /** How long the former key is accepted; null: it and all before it are removed at once. */
  readonly formerAcceptedUntil: string | null;
  readonly at: string;
}

/** Removes the keys that nothing needs any more. */
export interface RemoveRetiredSigningKeys {
  readonly type: 'RemoveRetiredSigningKeys';
  /** ISO instant. */
  readonly at: string;
}

export type SigningKeyCommand = CreateFirstSigningKey | RotateSigningKey | RemoveRetiredSigningKeys;
