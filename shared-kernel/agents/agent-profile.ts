/** A public key as profiles publish it (JWK). */
export interface PublicKey {
  readonly kid: string;
  readonly kty: string;
  readonly crv?: string;
  readonly x?: string;
  readonly y?: string;
  readonly use?: string;
  readonly alg?: string;
}

/** What an agent says it can do. `version` is null where its profile names none. */
export interface AgentCapability {
  readonly name: string;
  readonly version: string | null;
  readonly config: { readonly webhook_url?: string; readonly supports_multi_group?: boolean };
}

/** The document behind a profile address, in either of its published shapes. */
export interface AgentProfile {
  readonly uri: string;
  readonly name: string | null;
  readonly version: string;
  readonly capabilities: readonly AgentCapability[];
  readonly signingKeys: readonly PublicKey[];
}

/** Why a profile is unknown: its address is none, it could not be had, it is no profile, or too many were asked for. */
export type UnresolvedReason = 'malformed-address' | 'unreachable' | 'malformed' | 'too-many';

export type ResolvedProfile =
  | { readonly kind: 'resolved'; readonly profile: AgentProfile }
  | {
      readonly kind: 'unresolved';
      readonly reason: UnresolvedReason;
      /** For the agent's people. */
      readonly message: string;
      readonly retryAfterSeconds?: number;
    };

/** The profiles of agents: fetched from where they say, kept for a while. Never throws for what an agent says. */
export interface AgentProfiles {
  /**
   * `baseUrl`: this shop's address as the request has it; a profile below it is had without a connection. `ip`: the
   * address that asks, as each may make the shop fetch only so many; empty: unknown.
   */
  resolve(uri: string, baseUrl: string, ip: string): Promise<ResolvedProfile>;
  /** Fetches one again, for a key that it did not have: at most once a minute for an origin. */
  refresh(uri: string, baseUrl: string, ip: string): Promise<ResolvedProfile>;
}
