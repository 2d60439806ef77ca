import { agentLinkEvents, type AgentLinkEvent, type UnlinkReason } from '#events/agent-link.events.ts';
import { decideBy, type Decider, type Rules } from '#kernel/decider.ts';
import { notFound } from '#kernel/entity.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { AgentLinkCommand } from './agent-link.commands.ts';
import { noAgentLinks, onAgentLinkEvents, type AgentGrant, type AgentLinks } from './agent-link.state.ts';

export interface AgentLinkContext {
  /** ISO instant. */
  readonly at: string;
}

const { AgentLinked, AgentLinksClosed, AgentTokenRevoked, AgentUnlinked } = agentLinkEvents.create;

/** Per agent: a member may use it on several devices. */
export const MAX_GRANTS = 10;

/** Says nothing of a client that was never disabled. */
const withTimes = (timesDisabled: number) => timesDisabled > 0 && { timesDisabled };

const ended = (
  grants: readonly AgentGrant[],
  reason: UnlinkReason,
  { at }: AgentLinkContext,
): readonly AgentLinkEvent[] =>
  grants.map(({ grantId, clientId, timesDisabled }) =>
    AgentUnlinked({ grantId, clientId, reason, ...withTimes(timesDisabled), at }),
  );

const rules: Rules<AgentLinks, AgentLinkCommand, AgentLinkEvent, AgentLinkContext> = {
  LinkAgent: (
    { grants, unlinked, isClosed },
    { type: _, scopes, consentedAt, timesDisabled, ...grant },
    context,
  ) => {
    if (isClosed) throw notFound('account');
    // What was agreed to before counts no more.
    if (unlinked.some(({ clientId, at }) => clientId === grant.clientId && consentedAt < at))
      throw new Rejection('invalid-grant', 'The member has unlinked the agent since.');
    const others = grants.filter(({ clientId }) => clientId === grant.clientId);
    const surplus = others.slice(0, Math.max(0, others.length + 1 - MAX_GRANTS));
    return [
      ...ended(surplus, 'superseded', context),
      AgentLinked({ ...grant, scopes: [...scopes], ...withTimes(timesDisabled), at: context.at }),
    ];
  },
  UnlinkAgent: ({ grants }, { clientId }, context) =>
    ended(
      grants.filter((grant) => grant.clientId === clientId),
      'member',
      context,
    ),
  UnlinkAllAgents: ({ grants }, _, context) => ended(grants, 'password-changed', context),
  EndAgentGrant: ({ grants }, { grantId, reason }, context) =>
    ended(
      grants.filter((grant) => grant.grantId === grantId),
      reason,
      context,
    ),
  // Once a grant has ended, all its tokens are dead already.
  RevokeAgentToken: ({ grants }, { grantId, tokenId }, { at }) =>
    grants.some((grant) => grant.grantId === grantId) ? [AgentTokenRevoked({ grantId, tokenId, at })] : [],
  CloseAgentLinks: ({ grants, isClosed }, _, context) =>
    isClosed ? [] : [...ended(grants, 'account-closed', context), AgentLinksClosed({ at: context.at })],
};

/** Which agents act for a member (docs/rules/identity-linking.md#grants). */
export const agentLinkDecider: Decider<AgentLinks, AgentLinkCommand, AgentLinkEvent, AgentLinkContext> = {
  category: 'agentLinks',
  initial: noAgentLinks,
  decide: decideBy(rules),
  on: onAgentLinkEvents,
  remembersCommands: { last: 100 },
};
