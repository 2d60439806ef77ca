import type { PublishedKey } from '#values/signing-key.ts';

/** Signs with one key. */
export interface Signer {
  readonly kid: string;
  /** ES256: 64 bytes, r and s. */
  sign(bytes: Uint8Array): Buffer;
}

/** The keys with which the shop signs (docs/rules/agents.md#signing-keys). */
export interface OwnKeys {
  /** The accepted keys, oldest first; a new array after each change. */
  published(): readonly PublishedKey[];
  /** One that is accepted now. */
  find(kid: string): PublishedKey | undefined;
  /** Signs with the key active at the shop's time: ask each time. Errors: `EngineUnavailable` while none is known. */
  signer(): Signer;
}
