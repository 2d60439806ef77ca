import { expect } from 'chai';
import { isAuthorized, isKnown } from '#command/contexts/invoices/invoice.state.ts';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import type {
  AuthorizePayment,
  RecordAuthorization,
  StartCapture,
} from '#command/contexts/invoices/payments/authorization.commands.ts';
import { outcomeOf } from '#command/contexts/payments/charging/payment-outcome.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { decidedAt, invoice } from '#test/support/builders/invoice.ts';
import { byHand, cardOf } from '#test/support/builders/payment.ts';
import { given, inContext } from '#test/support/given.ts';

const mugs = invoice('mugs');
const now = '2026-03-01T09:05:00.000Z';
const until = '2026-03-08T09:05:00.000Z';
const at = (instant: string) => inContext(invoiceDecider, decidedAt(instant, { invoiceId: mugs.id }));
const placed = given(at(now), [mugs.placed]);

const card = (token: string) => ({ ...cardOf('stripe', token), askId: idNamed('ask') });
const attempted = placed.after(card('pm_1'));
const [attempt] = placed.when(card('pm_1')).events();
const attemptId = attempt?.type === 'PaymentAttempted' ? attempt.data.attemptId : expect.fail();

const answered = (transactionId = 'pi_1'): AuthorizePayment => ({
  type: 'AuthorizePayment',
  attemptId,
  transactionId,
  expiresAt: until,
});
const told = (transactionId = 'pi_1', changes: Partial<RecordAuthorization> = {}): RecordAuthorization => ({
  type: 'RecordAuthorization',
  provider: 'stripe',
  transactionId,
  sessionId: null,
  amount: 2640,
  currency: 'GBP',
  expiresAt: until,
  ...changes,
});
const paidBy = (transactionId: string, amount = 2640) =>
  ({
    type: 'RecordProviderPayment',
    provider: 'stripe',
    method: null,
    transactionId,
    sessionId: null,
    amount,
    currency: 'GBP',
    webhookEventId: null,
    risk: null,
    settlement: null,
  }) as const;
const cancelledBy = (transactionId: string, isExpired = false) =>
  ({
    type: 'DeclineProviderPayment',
    provider: 'stripe',
    transactionId,
    sessionId: null,
    reason: 'automatic',
    isCancelled: true,
    isExpired,
  }) as const;
const confirm = { type: 'ConfirmSale' } as const;
const cancel = { type: 'CancelInvoice', reason: 'Changed their mind', by: 'mary' } as const;

const authorized = attempted.after(answered());
const sold = authorized.after(confirm);
const [held] = authorized.state(isKnown).authorizations;
const paymentId = held?.paymentId ?? expect.fail('nothing is set aside');
const capture = (amount: number | null = null, name = 'capture'): StartCapture => ({
  type: 'StartCapture',
  captureId: idNamed(name),
  paymentId,
  amount,
  by: 'mary',
});
const taken = (amount = 2640) => ({ type: 'CompleteCapture', paymentId, amount }) as const;
const letGo = { type: 'StartVoid', voidId: idNamed('void'), paymentId, by: 'mary' } as const;
const released = { type: 'ReleaseAuthorization', paymentId, reason: 'voided' } as const;
const no = (askId = idNamed('capture')) =>
  ({ type: 'DeclineAsk', askId, paymentId, code: 'no', message: 'The bank said no.' }) as const;
const refused = no();

// docs/rules/authorizations.md
describe('money that is set aside', () => {
  it('ends the attempt, and leaves the invoice to be paid', () => {
    attempted.when(answered()).thenLike(['PaymentAuthorized']);
    const { balance, openAttempt, payments } = authorized.state(isKnown);
    expect(balance).to.include({ amountPaid: 0, balanceDue: 2640, paymentStatus: 'AwaitingPayment' });
    expect(openAttempt).to.equal(null);
    expect(payments).to.deep.equal([]);
    expect(isAuthorized(authorized.state(isKnown))).to.equal(true);
    authorized.when(answered()).thenNothing();
  });

  it('is what the same card asked with again has come to', () => {
    expect(outcomeOf(authorized.state(isKnown), attemptId)).to.include({ kind: 'authorized' });
    authorized.when(card('pm_1')).thenRefused('invoice-already-paid');
    authorized.when(byHand).thenRefused('invoice-already-paid');
  });

  it('makes the sale, which is owed until the money is taken', () => {
    authorized
      .when(confirm)
      .thenLike(['OrderStatusChanged', { to: 'ReadyToFulfill' }], ['SaleConfirmed', { isOnAccount: true }]);
    expect(sold.state(isKnown)).to.include({ isConfirmed: true, isOutstandingNoted: false });
  });

  it('keeps its invoice from expiring and from being replaced', () => {
    authorized.now(at('2026-03-05T09:05:00.000Z')).when({ type: 'ExpireInvoice' }).thenNothing();
    authorized
      .when({ type: 'SupersedeInvoice', placementId: idNamed('other') })
      .thenRefused('invoice-already-paid');
  });

  it('is one, whether the answer or the callback comes first', () => {
    authorized.when(told()).thenNothing();
    const byCallback = attempted.after(told());
    byCallback.when(answered()).thenLike(['PaymentAttemptMatched']);
    const both = byCallback.after(answered()).state(isKnown);
    expect(both.authorizations).to.have.lengthOf(1);
    expect(outcomeOf(both, attemptId)).to.include({ kind: 'authorized' });
  });

  it('is let go at once where nothing is due any more', () => {
    const closed = attempted.after({ type: 'DeclinePayment', attemptId, code: 'no', message: 'No.' }, cancel);
    closed.when(told()).thenLike(['PaymentAuthorized'], ['VoidAttempted', { by: 'system' }]);
    const paid = placed.after(paidBy('pi_2'));
    paid.when(told()).thenLike(['PaymentAuthorized'], ['VoidAttempted', { by: 'system' }]);
    authorized.when(told('pi_2')).thenLike(['PaymentAuthorized'], ['VoidAttempted', { by: 'system' }]);
  });

  it('is let go once the invoice is paid in another way', () => {
    sold.when(paidBy('pi_2')).thenLike(['PaymentCaptured'], ['VoidAttempted', { paymentId, by: 'system' }]);
    sold.after(capture()).when(paidBy('pi_2')).thenLike(['PaymentCaptured']);
    sold.after(capture(), taken(1000)).when(paidBy('pi_2', 1640)).thenLike(['PaymentCaptured']);
  });

  it('is recorded in the currency of its invoice only', () => {
    placed.when(told('pi_1', { currency: 'USD' })).thenRefused('other-currency');
  });
});

describe('to capture it', () => {
  it('takes what is due, once', () => {
    sold.when(capture()).thenLike(['CaptureAttempted', { amount: 2640 }]);
    const asked = sold.after(capture());
    asked.when(capture(null, 'again')).thenRefused('payment-unknown');
    asked.when(cancel).thenRefused('payment-unknown');
    asked
      .when(taken())
      .thenLike(['PaymentCaptured', { paymentId, amount: 2640, asksLeft: 0, isOnAccount: true }]);
    const paid = asked.after(taken());
    expect(paid.state(isKnown).balance).to.include({ balanceDue: 0, paymentStatus: 'Paid' });
    paid.when(taken()).thenNothing();
    paid.when(capture(null, 'again')).thenRefused('capture-not-possible');
    paid.when(letGo).thenRefused('capture-not-possible');
  });

  it('in part leaves the rest to be paid, and nothing more to be captured', () => {
    const part = sold.after(capture(1000), taken(1000));
    expect(part.state(isKnown).balance).to.include({ balanceDue: 1640, paymentStatus: 'PartiallyPaid' });
    part.when(capture(1640, 'rest')).thenRefused('capture-not-possible');
    part.when(card('pm_2')).thenLike(['PaymentAttempted', { amount: 1640 }]);
  });

  it('takes no more than is due, however much is authorised', () => {
    const owesLess = sold.after(paidBy('pi_2', 2000));
    owesLess.when(capture(641, 'more')).thenRefused('capture-not-possible');
    owesLess.when(capture(null, 'rest')).thenLike(['CaptureAttempted', { amount: 640 }]);
  });

  it('takes no more than is authorised, and no less than something', () => {
    for (const amount of [2641, 0, -1]) sold.when(capture(amount)).thenRefused('capture-not-possible');
    sold.when({ ...capture(), paymentId: idNamed('unknown') }).thenRefused('entity-not-found');
  });

  it('can be tried again after a no', () => {
    const declined = sold.after(capture(), refused);
    expect(declined.state(isKnown).authorizations[0]?.lastNo?.message).to.equal('The bank said no.');
    declined.when(refused).thenNothing();
    const again = capture(null, 'again');
    declined.when(again).thenLike(['CaptureAttempted']);
    declined.after(again).when(refused).thenNothing();
  });

  it('is done when the provider tells of it first, under one name', () => {
    const byCallback = sold.after(capture(), paidBy('pi_1'));
    byCallback.when(taken()).thenNothing();
    const { payments, finalAttempts } = byCallback.state(isKnown);
    expect(payments.map((made) => made.paymentId)).to.deep.equal([paymentId]);
    expect(finalAttempts).to.equal(1);
    byCallback.when(card('pm_1')).thenRefused('invoice-already-paid');
  });

  it('takes the amount that the provider names', () => {
    sold
      .after(capture())
      .when(paidBy('pi_1', 2000))
      .thenLike(['PaymentCaptured', { paymentId, amount: 2000 }]);
  });

  it('is not possible on a closed invoice', () => {
    sold.after(cancel).when(capture()).thenRefused('invoice-cancelled');
  });
});

describe('to let it go', () => {
  it('leaves the invoice unpaid', () => {
    sold.when(letGo).thenLike(['VoidAttempted', { by: 'mary' }]);
    const asked = sold.after(letGo);
    asked.when(capture()).thenRefused('payment-unknown');
    asked.when(released).thenLike(['AuthorizationReleased', { reason: 'voided', asksLeft: 0 }]);
    const gone = asked.after(released);
    expect(gone.state(isKnown).balance).to.include({ balanceDue: 2640, paymentStatus: 'Unpaid' });
    gone.when(released).thenNothing();
    gone.when(capture()).thenRefused('capture-not-possible');
    gone.when(card('pm_1')).thenLike(['PaymentAttempted']);
  });

  it('waits until the sale is announced, a part of which may be recorded by then', () => {
    authorized.when(letGo).thenRefused('payment-unknown');
  });

  it('happens with the cancellation of the invoice, and with its deletion', () => {
    expect(
      sold
        .when(cancel)
        .events()
        .map(({ type }) => type),
    ).to.include('VoidAttempted');
    const remove = { type: 'DeleteInvoice', by: 'mary' } as const;
    expect(
      sold
        .when(remove)
        .events()
        .map(({ type }) => type),
    ).to.include('VoidAttempted');
    sold.after(cancel).when(released).thenLike(['AuthorizationReleased']);
  });

  it('is too late where the money was taken meanwhile: it is owed back', () => {
    sold
      .after(cancel)
      .when(taken())
      .thenLike(['PaymentCaptured', { isLate: true }]);
  });

  it('may be refused', () => {
    const refusedVoid = no(idNamed('void'));
    sold.after(letGo).when(refusedVoid).thenLike(['VoidDeclined']);
    sold.after(letGo, refusedVoid).when(capture()).thenLike(['CaptureAttempted']);
  });
});

describe('time that runs out', () => {
  it('leaves the invoice unpaid, and open to another payment', () => {
    sold.when(cancelledBy('pi_1', true)).thenLike(['AuthorizationReleased', { reason: 'expired' }]);
    const expired = sold.after(cancelledBy('pi_1', true));
    const [again] = expired.when(told('pi_2')).events();
    expect(again?.data, 'it was sold before').to.not.have.property('isSale');
    expired.when(cancelledBy('pi_1')).thenNothing();
    expect(expired.state(isKnown).balance.paymentStatus).to.equal('Unpaid');
    expired.when(card('pm_1')).thenLike(['PaymentAttempted']);
  });

  it('ends a sale that stands on it alone, and on no other money', () => {
    authorized.when(cancelledBy('pi_1')).thenLike(['AuthorizationReleased', { isLast: true }]);
    const [gone] = authorized.after(paidBy('pi_2')).when(cancelledBy('pi_1')).events();
    expect(gone?.type).to.equal('AuthorizationReleased');
    expect(gone?.data, 'it is paid').to.not.have.property('isLast');
  });

  it('says nothing of what was captured', () => {
    sold.after(capture(), taken()).when(cancelledBy('pi_1', true)).thenNothing();
  });
});
