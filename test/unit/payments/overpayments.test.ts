import { expect } from 'chai';
import { createOverpayments, overpaymentCheck } from '#command/contexts/payments/refunds/overpayments.ts';
import { owedRefundId } from '#command/contexts/invoices/refunds/refund-events.state.ts';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { decidedAt, invoice } from '#test/support/builders/invoice.ts';
import { given, givenStream, inContext } from '#test/support/given.ts';
import { restarted } from '#test/support/restart-part.ts';

const { PaymentCaptured } = invoiceEvents.create;
const mugs = invoice('mugs');
const paymentId = idNamed('second payment');
const decider = inContext(invoiceDecider, decidedAt('2026-03-02T09:00:00.000Z'));

/** It was paid twice: the second payment is owed back. */
const paidTwice = given(decider, [
  mugs.placed,
  mugs.captured(),
  PaymentCaptured({
    ...mugs.captured().data,
    provider: 'sandbox',
    transactionId: 'two',
    paymentId,
    isSurplus: true,
  }),
]);

const giveBack = (can: { refunds: boolean }) =>
  ({
    type: 'StartRefund',
    refundId: owedRefundId(paymentId),
    paymentId,
    amount: null,
    reason: 'Paid twice',
    by: 'system',
    how: 'owed',
    can: { ...can, partialRefunds: can.refunds },
    askId: idNamed('ask'),
  }) as const;
const declined = {
  type: 'DeclineRefund',
  refundId: owedRefundId(paymentId),
  code: 'no',
  message: 'Card closed.',
} as const;
const byHand = (amount: number) =>
  ({ ...giveBack({ refunds: true }), refundId: idNamed(`by hand ${amount}`), how: 'hand', amount }) as const;

/** What reference state knows of an invoice, after a restart too. */
const overpaymentsOf = ({ history }: typeof paidTwice) =>
  restarted(createOverpayments(), givenStream(mugs.stream, ...history).foldInto(createOverpayments));
const found = (invoiceNow: typeof paidTwice) => {
  const rows = overpaymentCheck(overpaymentsOf(invoiceNow)).look() as Iterable<{
    name: string;
    description: string;
  }>;
  return [...rows].map(({ name, description }) => `${name}: ${description}`);
};

describe('money that is owed back (docs/rules/refunds.md#money-that-is-owed-back)', () => {
  it('is nobody’s task while its provider is asked, nor once it is given back', () => {
    const paidOnce = given(decider, [mugs.placed, mugs.captured()]);
    const asked = paidTwice.after(giveBack({ refunds: true }));
    const done = asked.after({
      type: 'CompleteRefund',
      refundId: owedRefundId(paymentId),
      transactionId: 'tx',
    });
    for (const invoiceNow of [paidOnce, paidTwice, asked, done])
      expect(overpaymentsOf(invoiceNow).countStuck()).to.equal(0);
  });

  it('waits for staff once the provider has said no, and after a restart, until all of it is given back', () => {
    const refused = paidTwice.after(giveBack({ refunds: true }), declined);
    expect(overpaymentsOf(refused).countStuck()).to.equal(1);
    expect(found(refused)).to.deep.equal([
      `${mugs.invoiceName.invoiceNumber}: £26.40 (sandbox): Card closed.`,
    ]);
    expect(found(refused.after(byHand(640)))).to.deep.equal([
      `${mugs.invoiceName.invoiceNumber}: £20.00 (sandbox): Card closed.`,
    ]);
    expect(overpaymentsOf(refused.after(byHand(640), byHand(2000))).countStuck()).to.equal(0);
  });

  it('waits for staff where the provider gives nothing back', () => {
    expect(found(paidTwice.after(giveBack({ refunds: false })))).to.deep.equal([
      `${mugs.invoiceName.invoiceNumber}: £26.40 (sandbox): sandbox cannot give it back. Refund it by hand.`,
    ]);
  });

  describe('because a refund has failed that was promised', () => {
    const { invoiceNumber } = mugs.invoiceName;
    const first = idNamed('payment mugs 2640');
    const refund = (name: string, amount = 640) =>
      ({
        ...giveBack({ refunds: true }),
        refundId: idNamed(name),
        paymentId: first,
        amount,
        how: 'provider',
      }) as const;
    const awaits = (name: string) =>
      ({ type: 'AwaitRefund', refundId: idNamed(name), transactionId: name }) as const;
    const done = (name: string) =>
      ({ type: 'CompleteRefund', refundId: idNamed(name), transactionId: name }) as const;
    const fails = (name: string) =>
      ({
        type: 'FailProviderRefund',
        provider: mugs.captured().data.provider,
        chargeTransactionId: mugs.captured().data.transactionId,
        refundId: name,
        message: 'Card closed.',
      }) as const;
    const of = (amount: string) => [
      `${invoiceNumber}: ${amount} (${mugs.captured().data.provider}): Card closed.`,
    ];

    it('waits for staff, whether it was on its way or done, until it is given back', () => {
      for (const had of [awaits('one'), done('one')]) {
        const failed = paidTwice.after(refund('one'), had, fails('one'));
        expect(found(failed)).to.deep.equal(of('£6.40'));
        expect(found(failed.after(refund('again'), done('again')))).to.deep.equal([]);
        expect(found(failed.after({ ...byHand(640), paymentId: first }))).to.deep.equal([]);
        expect(found(failed.after({ ...byHand(140), paymentId: first }))).to.deep.equal(of('£5.00'));
      }
    });

    it('is the same money when it fails again, and more when another one fails', () => {
      const once = paidTwice.after(refund('one'), awaits('one'), fails('one'));
      expect(found(once.after(refund('again')))).to.deep.equal([]);
      expect(found(once.after(refund('again'), awaits('again'), fails('again')))).to.deep.equal(of('£6.40'));
      const no = { ...declined, refundId: idNamed('again') } as const;
      expect(found(once.after(refund('again'), no))).to.deep.equal(of('£6.40'));
      const both = paidTwice.after(
        refund('one'),
        refund('two', 100),
        done('one'),
        done('two'),
        fails('one'),
        fails('two'),
      );
      expect(found(both)).to.deep.equal(of('£7.40'));
    });

    it('is nobody’s task where the provider said no at once: who asked was told', () => {
      expect(found(paidTwice.after(refund('one'), { ...declined, refundId: idNamed('one') }))).to.deep.equal(
        [],
      );
    });
  });
});
