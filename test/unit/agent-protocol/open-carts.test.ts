import { expect } from 'chai';
import { agentCartDecider } from '#command/contexts/agent-protocol/carts/agent-cart.decider.ts';
import { createOpenCarts } from '#command/contexts/agent-protocol/carts/open-carts.ts';
import { agentSessionDecider } from '#command/contexts/agent-protocol/sessions/agent-session.decider.ts';
import { invoiceBalance } from '#values/invoice-balance.ts';
import { streamOf } from '#values/stream-name.ts';
import {
  cancelCart,
  completeCart,
  expireCart,
  reopenCart,
  replaceCart,
  startCart,
  startCheckout,
} from '#test/support/builders/agent-cart.ts';
import { completeSession, minutesLater, startSession } from '#test/support/builders/agent-session.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { invoice } from '#test/support/builders/invoice.ts';
import { given, givenEvents, type GivenEvent } from '#test/support/given.ts';
import { restarted } from '#test/support/restart-part.ts';

const DAY = 24 * 60;
const cartId = idNamed('cart');
const open = given(agentCartDecider).after(startCart());
const begun = open.after(startCheckout(1));
const state = begun.state();
const sessionId = (state.status === 'active' && state.checkout?.sessionId) || '';
const session = given(agentSessionDecider).after(startSession({ cartId }));

const recorded = (stream: string, events: readonly object[]): readonly GivenEvent[] =>
  events.map((event) => ({ ...event, stream, recordedAt: minutesLater(0) }) as GivenEvent);
const inCart = ({ history }: typeof open) => recorded(streamOf.agentCart(cartId), history);
const inSession = ({ history }: typeof session) => recorded(streamOf.agentSession(sessionId), history);
const sale = recorded(streamOf.invoice(idNamed('sale')), [
  invoice('sale', { content: { basketId: idNamed('basket') } }).confirmed(invoiceBalance(2640, 2640, 0)),
]);
const after = (...events: readonly GivenEvent[]) => givenEvents(...events).foldInto(createOpenCarts);
const dueAt = (minutes: number, ...events: readonly GivenEvent[]): readonly string[] =>
  after(...events).takeDue(Date.parse(minutesLater(minutes)), 10);

// docs/rules/agent-carts.md#expiry
describe('Open carts of agents', () => {
  it('are due when their time is over, however often it was put off, and for good once they are over', () => {
    expect(dueAt(DAY - 1, ...inCart(open))).to.deep.equal([]);
    expect(dueAt(DAY, ...inCart(open))).to.deep.equal([cartId]);
    const replaced = open.after(replaceCart(100));
    expect(dueAt(DAY + 99, ...inCart(replaced))).to.deep.equal([]);
    expect(dueAt(DAY + 100, ...inCart(replaced))).to.deep.equal([cartId]);
    for (const over of [cancelCart(1), expireCart(DAY), completeCart(1)])
      expect(after(...inCart(open.after(over))).count()).to.equal(0);
  });

  it('are not due while a session made from them is open, and at once when it is over', () => {
    const held = [...inCart(begun), ...inSession(session)];
    expect(dueAt(9999, ...held)).to.deep.equal([]);
    for (const over of [
      session.after({ type: 'CancelSession', now: minutesLater(2) }),
      session.after({ type: 'ExpireSession', now: minutesLater(360) }),
      session.after(completeSession(2)),
    ])
      expect(dueAt(2, ...inCart(begun), ...inSession(over))).to.deep.equal([cartId]);
    const again = inCart(begun.after(reopenCart(5, sessionId))).slice(-1);
    expect(dueAt(DAY, ...held, ...again)).to.deep.equal([]);
    expect(dueAt(DAY + 5, ...held, ...again)).to.deep.equal([cartId]);
  });

  it('are due by their own time when their session has never begun', () => {
    expect(dueAt(DAY, ...inCart(begun))).to.deep.equal([cartId]);
  });

  it('are due at once when their basket is bought, until that is done', () => {
    const carts = after(...inCart(open), ...sale);
    const now = Date.parse(minutesLater(1));
    expect(carts.takeDue(now, 10)).to.deep.equal([cartId]);
    expect(carts.takeDue(now, 10)).to.deep.equal([]);
    carts.putBack(cartId);
    expect(carts.takeDue(now, 10)).to.deep.equal([cartId]);
  });

  it('are the same after a restart', () => {
    const before = after(...inCart(begun), ...inSession(session));
    const again = restarted(createOpenCarts(), before);
    const cancelled = inSession(session.after({ type: 'CancelSession', now: minutesLater(2) })).slice(-1);
    givenEvents(...cancelled).foldInto(() => again);
    expect(again.takeDue(Date.parse(minutesLater(2)), 10)).to.deep.equal([cartId]);
  });
});
