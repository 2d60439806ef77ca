/** Lets an agent buy for the member who has linked it; the only scope there is. */
export const CHECKOUT_SCOPE = 'ucp:scopes:checkout_session';

/** What a token says of the member and of the agent who acts for them. */
export interface AccessToken {
  readonly memberId: string;
  readonly clientId: string;
  /** As the client's when the member consented. */
  readonly timesDisabled: number;
  /** The only agent who may use it. */
  readonly profileUri: string;
  readonly scopes: readonly string[];
  readonly tokenId: string;
  /** The consent that it rests on. */
  readonly grantId: string;
}

export type TokenCheck =
  | { readonly kind: 'verified'; readonly token: AccessToken }
  /** Forged, expired, revoked, from another shop, or of a client that was disabled since or is not registered. */
  | { readonly kind: 'refused' };

/** Tokens with which agents act for members who have linked them (docs/rules/identity-linking.md#access-tokens). */
export interface AccessTokens {
  /**
   * `issuer`: the base address of the shop, which the token must name as issuer and as audience. Errors:
   * `EngineUnavailable` while this process does not know the log.
   */
  verify(bearer: string, issuer: string): TokenCheck;
}
