import { expect } from 'chai';
import type { LinkAgent } from '#command/contexts/identity-linking/agent-link.commands.ts';
import { agentLinkDecider, MAX_GRANTS } from '#command/contexts/identity-linking/agent-link.decider.ts';
import { agentLinkEvents, type AgentLinkEvent, type UnlinkReason } from '#events/agent-link.events.ts';
import { CHECKOUT_SCOPE } from '#agents/access-tokens.ts';
import { createAgentLinkReference } from '#reference/agent-links.reference.ts';
import { given, givenEvents } from '#test/support/given.ts';

const { AgentLinked, AgentLinksClosed, AgentTokenRevoked, AgentUnlinked } = agentLinkEvents.create;

const at = '2026-11-27T09:00:00.000Z';
const later = (minutes: number): string => new Date(Date.parse(at) + minutes * 60_000).toISOString();
const context = { at };
const grant = (grantId: string, clientId = 'pia') => ({
  grantId,
  clientId,
  profileUri: `https://${clientId}.example/profile`,
  scopes: [CHECKOUT_SCOPE],
});
const link = (grantId: string, clientId?: string, consentedAt = at): LinkAgent => ({
  type: 'LinkAgent',
  ...grant(grantId, clientId),
  timesDisabled: 0,
  consentedAt,
});
const linked = (grantId: string, clientId?: string) => AgentLinked({ ...grant(grantId, clientId), at });
const ended = (grantId: string, reason: UnlinkReason, clientId = 'pia') =>
  AgentUnlinked({ grantId, clientId, reason, at });

describe('the agents of a member (docs/rules/identity-linking.md#grants)', () => {
  it('are linked by each consent, of the same agent too: it may be on several devices', () => {
    given(agentLinkDecider, [linked('one')])
      .when(link('two'), context)
      .then([linked('two')]);
  });

  it('give up the oldest consent of an agent that is linked too often, and no other agent’s', () => {
    const all = Array.from({ length: MAX_GRANTS }, (_, index) => linked(`g${index}`));
    given(agentLinkDecider, [linked('of-max', 'max'), ...all])
      .when(link('new'), context)
      .then([ended('g0', 'superseded'), linked('new')]);
  });

  it('say how often the client had been disabled when the member agreed, from beginning to end', () => {
    const times = { timesDisabled: 2 };
    const begun = AgentLinked({ ...grant('one'), ...times, at });
    given(agentLinkDecider)
      .when({ ...link('one'), ...times }, context)
      .then([begun]);
    given(agentLinkDecider, [begun])
      .when({ type: 'UnlinkAgent', clientId: 'pia' }, context)
      .then([AgentUnlinked({ grantId: 'one', clientId: 'pia', reason: 'member', ...times, at })]);
  });

  it('are unlinked with all their grants at once', () => {
    given(agentLinkDecider, [linked('one'), linked('of-max', 'max'), linked('two')])
      .when({ type: 'UnlinkAgent', clientId: 'pia' }, context)
      .then([ended('one', 'member'), ended('two', 'member')]);
  });

  it('are not linked by what was agreed to before the agent was unlinked, and are by a later consent', () => {
    const unlinked = given(agentLinkDecider, [linked('one'), ended('one', 'member')]);
    unlinked.when(link('two', 'pia', later(-1)), context).thenRefused('invalid-grant');
    unlinked.when(link('two', 'max', later(-1)), context).then([linked('two', 'max')]);
    unlinked.when(link('two', 'pia', later(1)), context).then([linked('two')]);
  });

  it('all end when the member chooses another password: a stranger may have linked one', () => {
    given(agentLinkDecider, [linked('one'), linked('of-max', 'max')])
      .when({ type: 'UnlinkAllAgents' }, context)
      .then([ended('one', 'password-changed'), ended('of-max', 'password-changed', 'max')]);
  });

  it('lose one grant alone when its code or refresh token comes twice', () => {
    const end = { type: 'EndAgentGrant', grantId: 'one', reason: 'refresh-token-reused' } as const;
    given(agentLinkDecider, [linked('one'), linked('two')])
      .when(end, context)
      .then([ended('one', 'refresh-token-reused')]);
    given(agentLinkDecider, [linked('one'), ended('one', 'member')])
      .when(end, context)
      .thenNothing();
  });

  it('give back an access token, as long as its grant lives', () => {
    const revoke = { type: 'RevokeAgentToken', grantId: 'one', tokenId: 't' } as const;
    given(agentLinkDecider, [linked('one')])
      .when(revoke, context)
      .then([AgentTokenRevoked({ grantId: 'one', tokenId: 't', at })]);
    given(agentLinkDecider, [linked('one'), ended('one', 'client')])
      .when(revoke, context)
      .thenNothing();
  });

  it('end with the account, to which nothing can be linked any more, not by a code that was given before either', () => {
    const close = { type: 'CloseAgentLinks' } as const;
    const closed = [ended('one', 'account-closed'), AgentLinksClosed({ at })];
    given(agentLinkDecider, [linked('one')])
      .when(close, context)
      .then(closed);
    given(agentLinkDecider, [linked('one'), ...closed])
      .when(close, context)
      .thenNothing();
    given(agentLinkDecider, closed).when(link('two'), context).thenRefused('entity-not-found');
  });
});

describe('what was ended of members’ links (docs/rules/identity-linking.md#access-tokens)', () => {
  const asked = ['one', 'two', 't', 'old', 'young', 'new'];
  /** After a restart too. */
  const endedAmong = (...events: readonly AgentLinkEvent[]): readonly string[] => {
    const known = ({ hasEnded }: ReturnType<typeof createAgentLinkReference>) => asked.filter(hasEnded);
    return known(givenEvents(...events).foldInto(createAgentLinkReference, known));
  };

  it('is known by grant and by token, and nothing else is', () => {
    const revoked = AgentTokenRevoked({ grantId: 'two', tokenId: 't', at });
    const known = endedAmong(linked('one'), linked('two'), ended('one', 'member'), revoked);
    expect(known).to.deep.equal(['one', 't']);
  });

  it('is forgotten once no access token of it can live, so that it does not grow with the years', () => {
    const endedAt = (grantId: string, minutes: number) =>
      AgentUnlinked({ grantId, clientId: 'pia', reason: 'member', at: later(minutes) });
    const known = endedAmong(endedAt('old', 0), endedAt('young', 90), endedAt('new', 121));
    expect(known).to.deep.equal(['young', 'new']);
  });
});
