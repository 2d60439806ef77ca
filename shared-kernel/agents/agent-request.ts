import type { AgentCapability, PublicKey, UnresolvedReason } from './agent-profile.ts';

/** The forms of answers: of the current version, of the older one, and of shops whose version is no date. */
export type DialectName = '2026-04-08' | '2026-01-11' | 'draft';

/** Who asks, as the step on agent paths has found out (docs/rules/agents.md#the-step). */
export interface AgentIdentity {
  /** An opaque name until the profile is resolved: it proves nothing. */
  readonly profileUri: string;
  /** `unneeded`: nobody has asked for it. */
  readonly profileState: 'unneeded' | 'resolved' | UnresolvedReason;
  /** For people; null where the profile gives none. */
  readonly name: string | null;
  /** The profile's version of the protocol; null while the profile is unknown. */
  readonly version: string | null;
  /** Null while the profile is unknown. */
  readonly capabilities: readonly AgentCapability[] | null;
  readonly signingKeys: readonly PublicKey[];
  /** Where notices of orders go. */
  readonly webhookUrl: string | null;
  /** Where notices of sessions go. */
  readonly checkoutWebhookUrl: string | null;
  readonly supportsMultiGroup: boolean;
  /** Its signature was checked. */
  readonly isVerified: boolean;
}

/** The member for whom an agent asks, by the token of the request (docs/rules/linked-members.md). */
export interface LinkedMember {
  readonly memberId: string;
  /** The consent on which the token rests. */
  readonly grantId: string;
}

/** What the step attaches to a request. */
export interface AgentRequest {
  /** Null for an anonymous one, where that is allowed. */
  readonly identity: AgentIdentity | null;
  /** Null: the request has no token, and is a guest's. */
  readonly member: LinkedMember | null;
  /** The shop's own version of the protocol. */
  readonly ownVersion: string;
  /** The version that the request itself names; null: none. It goes before that of a session or cart. */
  readonly requestedVersion: string | null;
  /** The form of the answer, unless a session or cart has one of its own: `dialectFor`. */
  readonly dialect: DialectName;
}
