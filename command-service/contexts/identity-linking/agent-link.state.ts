import type { AgentLinkEvent } from '#events/agent-link.events.ts';
import type { Evolution } from '#kernel/evolution.ts';
import { unchanged } from '#kernel/evolution.ts';

/** A consent of a member that still stands. */
export interface AgentGrant {
  readonly grantId: string;
  readonly clientId: string;
  readonly profileUri: string;
  readonly scopes: readonly string[];
  /** How often the client had been disabled then: once that is more, the consent stands no longer. */
  readonly timesDisabled: number;
  /** ISO instant. */
  readonly linkedAt: string;
}

/** The agents of one member. */
export interface AgentLinks {
  /** Oldest first. */
  readonly grants: readonly AgentGrant[];
  /** When the member last unlinked each agent: ISO instants. */
  readonly unlinked: readonly { readonly clientId: string; readonly at: string }[];
  readonly isClosed: boolean;
}

export const noAgentLinks = (): AgentLinks => ({ grants: [], unlinked: [], isClosed: false });

/** Undefined: it has ended. */
export const grantIn = ({ grants }: AgentLinks, id: string): AgentGrant | undefined =>
  grants.find(({ grantId }) => grantId === id);

const unlinkedBy = (
  { unlinked }: AgentLinks,
  { clientId, at }: AgentLinks['unlinked'][number],
): AgentLinks['unlinked'] => [...unlinked.filter((other) => other.clientId !== clientId), { clientId, at }];

export const onAgentLinkEvents: Evolution<AgentLinks, AgentLinkEvent> = {
  AgentLinked: (links, { data: { at: linkedAt, timesDisabled = 0, ...grant } }) => ({
    ...links,
    grants: [...links.grants, { ...grant, timesDisabled, linkedAt }],
  }),
  AgentUnlinked: (links, { data }) => ({
    ...links,
    grants: links.grants.filter(({ grantId }) => grantId !== data.grantId),
    ...(data.reason === 'member' && { unlinked: unlinkedBy(links, data) }),
  }),
  AgentTokenRevoked: unchanged,
  AgentLinksClosed: (links) => ({ ...links, isClosed: true }),
};
