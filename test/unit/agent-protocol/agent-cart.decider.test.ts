import { expect } from 'chai';
import { agentCartDecider } from '#command/contexts/agent-protocol/carts/agent-cart.decider.ts';
import {
  isForVerifiedOnly,
  type AgentCartState,
  type OpenCart,
} from '#command/contexts/agent-protocol/carts/agent-cart.state.ts';
import {
  cancelCart,
  completeCart,
  convertCart,
  expireCart,
  followSession,
  reopenCart,
  replaceCart,
  startCart,
  startCheckout,
} from '#test/support/builders/agent-cart.ts';
import { ada, agentLine, minutesLater } from '#test/support/builders/agent-session.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { onceForgotten } from '#test/support/forgotten.ts';
import { given } from '#test/support/given.ts';

const DAY = 24 * 60;
const none = given(agentCartDecider);
const open = none.after(startCart());
const isOpen = (state: AgentCartState): state is OpenCart => state.status === 'active';
const begun = open.after(startCheckout(1));
const sessionId = begun.state(isOpen).checkout?.sessionId ?? '';
const converted = begun.after(convertCart(1, sessionId));

// docs/rules/agent-carts.md#states
describe('A cart of an agent', () => {
  it('begins with what the agent said, each part an event of its own, and once only', () => {
    none
      .when(startCart({ buyer: ada, codes: ['SAVE10'], context: { address_country: 'GB' } }))
      .thenLike(
        ['AgentCartStarted', { agent: 'https://agent.example/profile', expiresAt: minutesLater(DAY) }],
        ['AgentCartBuyerNamed', { buyer: ada }],
        ['AgentCartCodesSubmitted', { codes: ['SAVE10'] }],
        ['AgentCartContextGiven', { context: { address_country: 'GB' } }],
      );
    open.when(startCart()).thenNothing();
  });

  it('is replaced as a whole: what is not said any more is gone', () => {
    const named = none.after(startCart({ buyer: ada, codes: ['A'], currency: 'EUR' }));
    named
      .when(replaceCart(10, { lines: [agentLine('jar', 1)] }))
      .thenLike(
        ['AgentCartLinesChanged', { lines: [agentLine('jar', 1)] }],
        ['AgentCartBuyerNamed', { buyer: null }],
        ['AgentCartCodesSubmitted', { codes: [] }],
        ['AgentCartCurrencyChosen', { currency: 'USD' }],
        ['AgentCartExtended', { expiresAt: minutesLater(10 + DAY) }],
      );
  });

  it('is not there before it begins, nor once it is over', () => {
    for (const gone of [
      none,
      open.after(cancelCart(1)),
      open.after(completeCart(1)),
      open.after(expireCart(DAY)),
    ]) {
      gone.when(replaceCart(2)).thenRefused('not_found');
      gone.when(cancelCart(2)).thenRefused('not_found');
      gone.when(startCheckout(2)).thenRefused('not_found');
      gone.when(completeCart(2)).thenNothing();
      gone.when(expireCart(9999)).thenNothing();
    }
  });

  it('expires when its time is over and not a moment before, whoever asks', () => {
    open.when(expireCart(DAY - 0.1)).thenNothing();
    open.when(expireCart(DAY)).thenLike(['AgentCartExpired']);
    for (const late of [replaceCart(DAY), cancelCart(DAY), startCheckout(DAY)])
      open.when(late).thenRefused('not_found');
    open.after(replaceCart(100)).when(expireCart(DAY)).thenNothing();
  });
});

// docs/rules/agent-carts.md#checkout
describe('A cart from which a checkout is made', () => {
  it('has one session, however many ask for it', () => {
    begun.when(startCheckout(2)).thenNothing();
    converted.when(startCheckout(2)).thenNothing();
    converted.when(convertCart(2, sessionId)).thenNothing();
  });

  it('is not replaced meanwhile, and says by which session it is held', () => {
    for (const held of [begun, converted])
      expect(held.when(replaceCart(2)).thenRefused('cart_not_modifiable').message).to.include(sessionId);
  });

  it('does not expire, can be cancelled, and is over when it is bought', () => {
    converted.when(expireCart(9999)).thenNothing();
    converted.when(cancelCart(9999)).thenLike(['AgentCartCancelled']);
    converted.when(completeCart(2)).thenLike(['AgentCartCompleted', { invoiceId: idNamed('invoice') }]);
  });

  it('has the lines of that session and of no other', () => {
    const lines = [agentLine('jar', 3)];
    converted.when(followSession(sessionId, lines)).thenLike(['AgentCartLinesChanged', { lines }]);
    converted.when(followSession(sessionId, [agentLine('mug', 2)])).thenNothing();
    converted.when(followSession(idNamed('another'), lines)).thenNothing();
    converted.after(reopenCart(5, sessionId)).when(followSession(sessionId, lines)).thenNothing();
  });

  it('is open again once its session is over, for all its time, and the next session is another one', () => {
    const again = converted.after(reopenCart(50, sessionId));
    again.when(reopenCart(51, sessionId)).thenNothing();
    again.when(expireCart(50 + DAY - 1)).thenNothing();
    again.when(expireCart(50 + DAY)).thenLike(['AgentCartExpired']);
    again.when(replaceCart(51)).thenLike(['AgentCartExtended']);
    const next = again.after(startCheckout(52)).state(isOpen);
    expect(next.checkout?.sessionId).not.to.equal(sessionId);
  });

  it('is for signed requests only once its session was begun by one, also when that is over', () => {
    const cart = none.after(startCart({}, { isVerified: false }), startCheckout(1));
    const unsigned = cart.after(convertCart(1, sessionId));
    const signed = cart.after(convertCart(1, sessionId, true));
    expect([cart, unsigned].map((one) => isForVerifiedOnly(one.state(isOpen)))).to.deep.equal([false, false]);
    expect(isForVerifiedOnly(signed.state(isOpen))).to.equal(true);
    expect(isForVerifiedOnly(signed.after(reopenCart(5, sessionId)).state(isOpen))).to.equal(true);
  });

  it('is given up by the first of two: the session that begins, or whoever finds that it has not', () => {
    begun.when(reopenCart(2, sessionId, false)).thenLike(['AgentCartReopened', { sessionId }]);
    begun
      .after(reopenCart(2, sessionId, false))
      .when(convertCart(3, sessionId))
      .thenNothing();
    converted.when(reopenCart(2, sessionId, false)).thenNothing();
  });

  it('forgets its buyer with the basket, and whom it has named with their customer', () => {
    const customerId = idNamed('customer ada');
    const named = open.after({ ...replaceCart(1, { buyer: ada }), customerId });
    expect(agentCartDecider.subject?.(idNamed('cart'), named.state())).to.deep.equal({
      ...{ id: idNamed('basket'), customerId },
    });
  });

  it('holds nothing of its buyer once they are forgotten', () => {
    const told = { context: { intent: 'a present for Ada' }, attribution: { referrer: 'friend of Ada' } };
    const { history } = none.after(startCart({ buyer: ada, ...told }));
    const forgotten = given(agentCartDecider, onceForgotten(history));
    expect(forgotten.state(isOpen)).to.deep.include({ buyer: null, context: null, attribution: null });
    expect(JSON.stringify(forgotten.history)).not.to.match(/Ada/);
  });
});
