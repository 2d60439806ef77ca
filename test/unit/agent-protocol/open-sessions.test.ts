import { expect } from 'chai';
import { agentSessionDecider } from '#command/contexts/agent-protocol/sessions/agent-session.decider.ts';
import { createOpenSessions } from '#command/contexts/agent-protocol/sessions/open-sessions.ts';
import { invoiceBalance } from '#values/invoice-balance.ts';
import { streamOf } from '#values/stream-name.ts';
import {
  completeSession,
  failCompletion,
  minutesLater,
  startCompletion,
  startSession,
  updateSession,
} from '#test/support/builders/agent-session.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { invoice } from '#test/support/builders/invoice.ts';
import { given, givenEvents, type GivenEvent } from '#test/support/given.ts';
import { restarted } from '#test/support/restart-part.ts';

const none = given(agentSessionDecider);
const open = none.after(startSession());
const sessionId = idNamed('session');

const inLog = ({ history }: typeof open, id = sessionId): readonly GivenEvent[] =>
  history.map((event) => ({ ...event, stream: streamOf.agentSession(id), recordedAt: minutesLater(0) }));
const sale: GivenEvent = {
  ...invoice('sale', { content: { basketId: idNamed('basket') } }).confirmed(invoiceBalance(2640, 2640, 0)),
  stream: streamOf.invoice(idNamed('sale')),
  recordedAt: minutesLater(5),
};
const orderingOf = (basket: string) =>
  ({
    ...{ type: 'OrderPlacementStarted', data: {} },
    ...{ stream: streamOf.basket(idNamed(basket)), recordedAt: minutesLater(1) },
  }) as unknown as GivenEvent;
const after = (...events: readonly GivenEvent[]) => givenEvents(...events).foldInto(createOpenSessions);
const dueAt = (minutes: number, ...events: readonly GivenEvent[]): readonly string[] =>
  after(...events).takeDue(Date.parse(minutesLater(minutes)), 10);

// docs/rules/agent-sessions.md#expiry
describe('Open sessions of agents', () => {
  it('are due when their time is over, however often it was put off', () => {
    expect(dueAt(359, ...inLog(open))).to.deep.equal([]);
    expect(dueAt(360, ...inLog(open))).to.deep.equal([sessionId]);
    const updated = open.after(updateSession(100));
    expect(dueAt(459, ...inLog(updated))).to.deep.equal([]);
    expect(dueAt(460, ...inLog(updated))).to.deep.equal([sessionId]);
  });

  it('are not due while a payment is under way, and are again once it came to nothing', () => {
    const paying = open.after(startCompletion(1));
    expect(dueAt(9999, ...inLog(paying))).to.deep.equal([]);
    expect(dueAt(361, ...inLog(paying.after(failCompletion(2))))).to.deep.equal([]);
    expect(dueAt(362, ...inLog(paying.after(failCompletion(2))))).to.deep.equal([sessionId]);
  });

  it('are forgotten when they are over', () => {
    for (const over of [
      open.after({ type: 'CancelSession', now: minutesLater(1) }),
      open.after({ type: 'ExpireSession', now: minutesLater(360) }),
      open.after(completeSession(1)),
    ]) {
      expect(after(...inLog(over)).count()).to.equal(0);
      expect(dueAt(9999, ...inLog(over))).to.deep.equal([]);
    }
  });

  it('hear of the sale of their basket, are not due from then on, and call whoever watches', () => {
    const sessions = after(...inLog(open), sale);
    expect(sessions.takeDue(Date.parse(minutesLater(9999)), 10)).to.deep.equal([]);
    expect(sessions.takeNews(10)).to.deep.equal([sessionId]);
    expect(sessions.takeNews(10)).to.deep.equal([]);
    expect(sessions.saleOf(sessionId)).to.include({ invoiceId: idNamed('sale') });
    sessions.putBack(sessionId);
    expect(sessions.takeNews(10)).to.deep.equal([sessionId]);
    const other = none.after(startSession({ basketId: idNamed('another basket') }));
    expect(after(...inLog(other), sale).takeNews(10)).to.deep.equal([]);
  });

  it('may be paid for once an order of their basket was begun, and where a cart was there before', () => {
    expect(after(...inLog(open)).mayBePaid(sessionId)).to.equal(false);
    expect(after(...inLog(open), orderingOf('basket')).mayBePaid(sessionId)).to.equal(true);
    const ofCart = none.after(startSession({ cartId: idNamed('cart') }));
    expect(after(...inLog(ofCart)).mayBePaid(sessionId)).to.equal(true);
  });

  it('are the same after a restart', () => {
    const bought = none.after(startSession({ basketId: idNamed('bought basket') }));
    const paying = inLog(bought.after(startCompletion(1)), idNamed('paying'));
    const third = inLog(none.after(startSession({ basketId: idNamed('third basket') })), idNamed('third'));
    const before = after(...inLog(open), ...paying, ...third, orderingOf('third basket'), sale);
    const again = restarted(createOpenSessions(), before);
    expect(again.count()).to.equal(3);
    expect(again.mayBePaid(sessionId)).to.equal(false);
    expect(again.mayBePaid(idNamed('third'))).to.equal(true);
    expect(again.saleOf(sessionId)).to.deep.equal(before.saleOf(sessionId));
    const now = Date.parse(minutesLater(360));
    expect(again.takeDue(now, 10)).to.deep.equal(before.takeDue(now, 10));
  });
});
