import { expect } from 'chai';
import {
  createBegunByAgents,
  type BegunByAgents,
} from '#command/contexts/agent-protocol/begun/begun-by-agents.ts';
import { createLimitBegun } from '#command/contexts/agent-protocol/begun/limit-begun.ts';
import { agentCartDecider } from '#command/contexts/agent-protocol/carts/agent-cart.decider.ts';
import { agentSessionDecider } from '#command/contexts/agent-protocol/sessions/agent-session.decider.ts';
import { Rejection } from '#kernel/rejection.ts';
import { applyEvent } from '#reference/reference-part.ts';
import { streamOf } from '#values/stream-name.ts';
import { startCart } from '#test/support/builders/agent-cart.ts';
import { minutesLater, startSession } from '#test/support/builders/agent-session.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { given, givenEvents, inStream, recordedEvents, type GivenEvent } from '#test/support/given.ts';

const profile = 'https://agent.example/profile';
const session = given(agentSessionDecider).after(startSession({ agent: profile, isVerified: true }));
const cart = given(agentCartDecider).after(startCart());
const stream = (name: string): string => streamOf.agentSession(idNamed(name));
const begun = (name: string) => inStream(stream(name), ...session.history);
const cancelled = session.after({ type: 'CancelSession', now: minutesLater(1) });
const ended = (name: string) => inStream(stream(name), ...cancelled.history);
const limits = { openSessionsPerAgent: 2, openSessionsPerAddress: 1 };

// docs/rules/agents.md#limits
describe('What agents have begun', () => {
  const after = (...events: readonly GivenEvent[]): BegunByAgents =>
    givenEvents(...events).foldInto(createBegunByAgents);
  const asking = (isVerified: boolean, ip = '192.0.2.7') =>
    ({ agent: { identity: { profileUri: profile, isVerified } }, ip }) as Parameters<
      ReturnType<typeof createLimitBegun>
    >[1];

  it('is counted by signed profile until it is over, carts apart', () => {
    const carts = inStream(streamOf.agentCart(idNamed('cart')), ...cart.history);
    const book = after(...begun('a'), ...begun('b'), ...carts, ...ended('c'));
    expect([book.countOf('session', profile), book.countOf('cart', profile)]).to.deep.equal([2, 1]);
    const limit = createLimitBegun(book, limits);
    limit('cart', asking(true));
    expect(() => limit('session', asking(true)))
      .to.throw(Rejection, 'Too many open sessions of this profile')
      .with.property('code', 'rate_limited');
    createLimitBegun(book, { ...limits, openSessionsPerAgent: 0 })('session', asking(true));
  });

  it('is counted by network where there is no signature, whatever profile it names', () => {
    const book = createBegunByAgents();
    const limit = createLimitBegun(book, limits);
    const begins = limit('session', asking(false));
    begins(idNamed('a'));
    begins(idNamed('a'));
    expect(() => limit('session', asking(false))).to.throw(Rejection, 'from this address');
    limit('session', asking(false, '198.51.100.7'));
    limit('session', asking(true));
    for (const event of recordedEvents(ended('a'))) applyEvent(book, event);
    limit('session', asking(false));
  });
});
