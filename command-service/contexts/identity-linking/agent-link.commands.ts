import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { UnlinkReason } from '#events/agent-link.events.ts';
import type { AgentGrant } from './agent-link.state.ts';

/** A redeemed code. Its command id is derived from the code, so that a second redemption is a repeat. */
export interface LinkAgent {
  readonly type: 'LinkAgent';
  readonly grantId: string;
  readonly clientId: string;
  readonly profileUri: string;
  readonly scopes: readonly string[];
  /** As the client's when the member consented. */
  readonly timesDisabled: number;
  /** When the member said yes: an ISO instant. */
  readonly consentedAt: string;
}

/** Ends all grants of an agent. */
export interface UnlinkAgent {
  readonly type: 'UnlinkAgent';
  readonly clientId: string;
}

/** Ends every grant of the account. */
export interface UnlinkAllAgents {
  readonly type: 'UnlinkAllAgents';
}

export interface EndAgentGrant {
  readonly type: 'EndAgentGrant';
  readonly grantId: string;
  readonly reason: UnlinkReason;
}

export interface RevokeAgentToken {
  readonly type: 'RevokeAgentToken';
  readonly grantId: string;
  readonly tokenId: string;
}

/** The account is gone. */
export interface CloseAgentLinks {
  readonly type: 'CloseAgentLinks';
}

export type AgentLinkCommand =
  | LinkAgent
  | UnlinkAgent
  | UnlinkAllAgents
  | EndAgentGrant
  | RevokeAgentToken
  | CloseAgentLinks;

/** An agent who acts for a member, as the member sees it. */
export interface LinkedAgent extends AgentGrant {
  /** The client's registered name; its id once it is no longer registered. */
  readonly name: string;
}

/** What other contexts may call. Errors, all of them: `EngineUnavailable`. */
export interface AgentLinksApi {
  /** What a member has linked, newest first. */
  ofMember(memberId: string): Promise<readonly LinkedAgent[]>;
  /** As the streams of the member and of the clients say now: ask it before anything that cannot be taken back. */
  isLinked(memberId: string, grantId: string): Promise<boolean>;
  /** False: it was not linked. */
  unlink(memberId: string, clientId: string, meta: CommandMeta): Promise<boolean>;
  /** For a new password: a person who knew the old one may have linked an agent. */
  unlinkAll(memberId: string, meta: CommandMeta): Promise<void>;
  /** Ends everything; nothing can be linked to the account any more. */
  close(memberId: string, meta: CommandMeta): Promise<void>;
}
