import { expect } from 'chai';
import { unmatchedPaymentDecider } from '#command/contexts/payments/unmatched/unmatched-payment.decider.ts';
import type { UnmatchedPaymentCommand } from '#command/contexts/payments/unmatched/unmatched-payment.commands.ts';
import { createUnmatchedPayments } from '#command/contexts/payments/unmatched/unmatched-payments.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { given, givenStream, inContext } from '#test/support/given.ts';

const id = idNamed('money');
const now = '2026-03-02T09:00:00.000Z';
const invoiceId = idNamed('invoice');
const rules = inContext(unmatchedPaymentDecider, { id, now });

const receive: UnmatchedPaymentCommand = {
  ...{ type: 'ReceiveUnmatchedPayment', provider: 'stripe', transactionId: 'pi_1' },
  ...{ amount: 1700, currency: 'GBP', namedInvoiceId: null },
};
const match = { type: 'MatchUnmatchedPayment', invoiceId, by: 'mary' } as const;
const placed = { type: 'NoteUnmatchedPaymentPlaced', invoiceId } as const;
const refund = { type: 'RefundUnmatchedPayment', by: 'mary' } as const;
const told = (transactionId: string, amount: number | null, failure: string | null = null) =>
  ({ type: 'ReportUnmatchedRefund', transactionId, amount, failure }) as const;

const received = given(rules, []).after(receive);
const asked = received.after(refund);
const refundId = asked.state()?.refund?.refundId ?? '';
const answer = (outcome: object): UnmatchedPaymentCommand =>
  ({ type: 'RecordUnmatchedRefund', refundId, outcome }) as UnmatchedPaymentCommand;
const done = answer({ kind: 'completed', transactionId: 're_1' });
const no = answer({ kind: 'refused', code: 'charge_disputed', message: 'It is disputed.' });

// docs/rules/unmatched-payments.md
describe('money without an order', () => {
  it('is received once, however often it is told of', () => {
    given(rules, [])
      .when(receive)
      .thenLike(['UnmatchedPaymentReceived', { amount: 1700, receivedAt: now }]);
    received.when(receive).thenNothing();
  });

  it('is for one invoice, which it is recorded on', () => {
    received.when(match).thenLike(['UnmatchedPaymentMatched', { invoiceId, by: 'mary' }]);
    const matched = received.after(match);
    matched.when(match).thenNothing();
    matched.when({ ...match, invoiceId: idNamed('other') }).thenRefused('unmatched-payment-settled');
    matched.when(refund).thenRefused('unmatched-payment-settled');
    matched.when(placed).thenLike(['UnmatchedPaymentPlaced', { invoiceId }]);
    matched.after(placed).when(placed).thenNothing();
  });

  it('is given back once, and is for no invoice then', () => {
    received.when(refund).thenLike(['UnmatchedRefundAttempted', { amount: 1700, by: 'mary' }]);
    asked.when(refund).thenNothing();
    asked.when(match).thenRefused('unmatched-payment-settled');
    asked.when(done).thenLike(['UnmatchedPaymentRefunded', { transactionId: 're_1', amount: 1700, left: 0 }]);
    const back = asked.after(done);
    for (const again of [refund, done, told('re_1', 1700)]) back.when(again).thenNothing();
    back.when(match).thenRefused('unmatched-payment-settled');
  });

  it('stays where the provider says no, and is asked for under another key then', () => {
    asked.when(no).thenLike(['UnmatchedRefundFailed', { left: 1700, message: 'It is disputed.' }]);
    const again = asked.after(no, refund);
    expect(again.state()?.refund?.refundId).to.not.equal(refundId);
    again.when(done).thenNothing();
  });

  it('is back where its refund fails days later, once', () => {
    const failed = told('re_1', 1700, 'lost or stolen card');
    asked
      .after(done)
      .when(failed)
      .thenLike(['UnmatchedRefundFailed', { left: 1700, refund: 're_1' }]);
    const open = asked.after(done, failed);
    open.when(failed).thenNothing();
    open.when(told('re_1', 1700)).thenNothing();
    open.when(refund).thenLike(['UnmatchedRefundAttempted', { amount: 1700 }]);
  });

  it('is on its way back until the provider says what came of it', () => {
    const pending = asked.after(answer({ kind: 'pending', transactionId: 're_1' }));
    pending.when(answer({ kind: 'pending', transactionId: 're_1' })).thenNothing();
    pending.when(told('re_1', null)).thenLike(['UnmatchedPaymentRefunded', { left: 0 }]);
    pending.when(told('re_1', null, 'no')).thenLike(['UnmatchedRefundFailed', { left: 1700 }]);
    pending.when(told('re_2', null, 'no')).thenNothing();
  });

  it('is given back in part at the provider, and the rest here', () => {
    const part = received.after(told('re_0', 500));
    part.when(match).thenRefused('unmatched-payment-settled');
    part.when(refund).thenLike(['UnmatchedRefundAttempted', { amount: 1200 }]);
    asked.when(told('re_0', 500)).thenLike(['UnmatchedPaymentRefunded', { amount: 500, left: 1200 }]);
    expect(asked.after(told('re_0', 500)).state()?.refund, 'asked for, still').to.include({ refundId });
  });

  it('is known by nobody before it is received', () => {
    for (const command of [match, refund]) given(rules, []).when(command).thenRefused('entity-not-found');
    for (const command of [placed, done, told('re_1', 1)]) given(rules, []).when(command).thenNothing();
  });
});

describe('the list of money without an order', () => {
  const listAfter = (...commands: readonly UnmatchedPaymentCommand[]) => {
    const { history } = received.after(...commands);
    const part = givenStream(`unmatchedPayment-${id}`, ...history).foldInto(createUnmatchedPayments);
    return part.list().map(([, { left, status, problem }]) => ({ left, status, problem }));
  };
  const failed = told('re_1', null, 'no');

  for (const [what, commands, rows] of [
    ['what is received', [], [{ left: 1700, status: 'Open', problem: null }]],
    ['what is matched and not on its invoice', [match], [{ left: 1700, status: 'Matched', problem: null }]],
    ['nothing that is on an invoice', [match, placed], []],
    ['what is being given back', [refund], [{ left: 1700, status: 'RefundPending', problem: null }]],
    ['nothing that was given back', [refund, done], []],
    [
      'what could not be given back',
      [refund, no],
      [{ left: 1700, status: 'Open', problem: 'It is disputed.' }],
    ],
    ['what came back', [refund, done, failed], [{ left: 1700, status: 'Open', problem: 'no' }]],
  ] as const)
    it(`has ${what}`, () => {
      expect(listAfter(...commands)).to.deep.equal(rows);
    });
});
