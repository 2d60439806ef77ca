import type { PublishedKey } from '#values/signing-key.ts';

/** Signs by one key. */
export interface Signer {
  readonly kid: string;
  /** ES256: 64 bytes, r and s. */
  sign(bytes: Uint8Array): Buffer;
}

/** The keys by which the shop proves what it says (docs/rules/agents.md#signing-keys). */
export interface OwnKeys {
  /** Those that others accept now, oldest first; another array whenever one is added or removed. */
  published(): readonly PublishedKey[];
  /** One that is accepted now. */
  find(kid: string): PublishedKey | undefined;
  /** By the key that is active at the shop's time: ask each time. Errors: `EngineUnavailable` while none is known. */
  signer(): Signer;
}
