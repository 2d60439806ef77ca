/** A private key that signs by ES256. Its id is part of what is signed. */
export interface Signer {
  readonly kid: string;
  /** Returns r and s, 32 bytes each. */
  readonly sign: (bytes: Buffer) => Buffer;
}
