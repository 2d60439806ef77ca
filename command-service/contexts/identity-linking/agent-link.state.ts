import type { AgentLinkEvent } from '#events/agent-link.events.ts';
import type { Evolution } from '#kernel/evolution.ts';
import { unchanged } from '#kernel/evolution.ts';

/** A consent of a member that still stands. */
export interface AgentGrant {
  readonly grantId: string;
  readonly clientId: string;
  readonly profileUri: string;
  readonly scopes: readonly string[];
  /** ISO instant. */
  readonly linkedAt: string;
}

/** The agents of one member. */
export interface AgentLinks {
  /** Oldest first. */
  readonly grants: readonly AgentGrant[];
  readonly isClosed: boolean;
}

export const noAgentLinks = (): AgentLinks => ({ grants: [], isClosed: false });

export const onAgentLinkEvents: Evolution<AgentLinks, AgentLinkEvent> = {
  AgentLinked: (links, { data: { at: linkedAt, ...grant } }) => ({
    ...links,
    grants: [...links.grants, { ...grant, linkedAt }],
  }),
  AgentUnlinked: (links, { data }) => ({
    ...links,
    grants: links.grants.filter(({ grantId }) => grantId !== data.grantId),
  }),
  AgentTokenRevoked: unchanged,
  AgentLinksClosed: (links) => ({ ...links, isClosed: true }),
};
