import { expect } from 'chai';
import { createOverpayments, overpaymentCheck } from '#command/contexts/payments/refunds/overpayments.ts';
import { owedRefundId } from '#command/contexts/invoices/refunds/refund-events.state.ts';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { applyEvent } from '#reference/reference-part.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { decidedAt, invoice } from '#test/support/builders/invoice.ts';
import { given, inStream, recordedEvents } from '#test/support/given.ts';
import { restarted } from '#test/support/restart-part.ts';

const { PaymentCaptured } = invoiceEvents.create;
const mugs = invoice('mugs');
const paymentId = idNamed('second payment');
const context = decidedAt('2026-03-02T09:00:00.000Z');

/** It was paid twice: the second payment is owed back. */
const paidTwice: readonly InvoiceEvent[] = [
  mugs.placed,
  mugs.captured(),
  PaymentCaptured({
    ...mugs.captured().data,
    provider: 'sandbox',
    transactionId: 'two',
    paymentId,
    isSurplus: true,
  }),
];

/** What has happened once each command was sent. */
const after = (
  ...commands: readonly Parameters<typeof invoiceDecider.decide>[1][]
): readonly InvoiceEvent[] =>
  commands.reduce<readonly InvoiceEvent[]>(
    (events, command) => [
      ...events,
      ...given(invoiceDecider, [...events])
        .when(command, context)
        .events(),
    ],
    paidTwice,
  );

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

const told = (events: readonly InvoiceEvent[]) => {
  const overpayments = createOverpayments();
  for (const event of recordedEvents(inStream(mugs.stream, ...events))) applyEvent(overpayments, event);
  return restarted(createOverpayments(), overpayments);
};
const found = (events: readonly InvoiceEvent[]) =>
  [...(overpaymentCheck(told(events)).look() as Iterable<{ name: string; description: string }>)].map(
    ({ name, description }) => `${name}: ${description}`,
  );

describe('money that is owed back (docs/rules/refunds.md#money-that-is-owed-back)', () => {
  it('is nobody’s task while its provider is asked, nor once it is given back', () => {
    const asked = after(giveBack({ refunds: true }));
    const done = after(giveBack({ refunds: true }), {
      type: 'CompleteRefund',
      refundId: owedRefundId(paymentId),
      transactionId: 'tx',
    });
    for (const events of [[mugs.placed, mugs.captured()], paidTwice, asked, done])
      expect(told(events).countStuck()).to.equal(0);
  });

  it('waits for staff once the provider has said no, and after a restart, until all of it is given back', () => {
    const events = [giveBack({ refunds: true }), declined] as const;
    expect(told(after(...events)).countStuck()).to.equal(1);
    expect(found(after(...events))).to.deep.equal([
      `${mugs.invoiceName.invoiceNumber}: £26.40 (sandbox): Card closed.`,
    ]);
    expect(found(after(...events, byHand(640)))).to.deep.equal([
      `${mugs.invoiceName.invoiceNumber}: £20.00 (sandbox): Card closed.`,
    ]);
    expect(told(after(...events, byHand(640), byHand(2000))).countStuck()).to.equal(0);
  });

  it('waits for staff where the provider gives nothing back', () => {
    expect(found(after(giveBack({ refunds: false })))).to.deep.equal([
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
        const events = [refund('one'), had, fails('one')] as const;
        expect(found(after(...events))).to.deep.equal(of('£6.40'));
        expect(found(after(...events, refund('again'), done('again')))).to.deep.equal([]);
        expect(found(after(...events, { ...byHand(640), paymentId: first }))).to.deep.equal([]);
        expect(found(after(...events, { ...byHand(140), paymentId: first }))).to.deep.equal(of('£5.00'));
      }
    });

    it('is the same money when it fails again, and more when another one fails', () => {
      const once = [refund('one'), awaits('one'), fails('one')] as const;
      expect(found(after(...once, refund('again')))).to.deep.equal([]);
      expect(found(after(...once, refund('again'), awaits('again'), fails('again')))).to.deep.equal(
        of('£6.40'),
      );
      const no = { ...declined, refundId: idNamed('again') } as const;
      expect(found(after(...once, refund('again'), no))).to.deep.equal(of('£6.40'));
      const both = [
        refund('one'),
        refund('two', 100),
        done('one'),
        done('two'),
        fails('one'),
        fails('two'),
      ] as const;
      expect(found(after(...both))).to.deep.equal(of('£7.40'));
    });

    it('is nobody’s task where the provider said no at once: who asked was told', () => {
      expect(found(after(refund('one'), { ...declined, refundId: idNamed('one') }))).to.deep.equal([]);
    });
  });
});
