import { expect } from 'chai';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import { isKnown, owedPayments } from '#command/contexts/invoices/invoice.state.ts';
import type {
  RecordProviderRefund,
  StartRefund,
} from '#command/contexts/invoices/refunds/refund.commands.ts';
import { owedRefundId } from '#command/contexts/invoices/refunds/refund-events.state.ts';
import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { closedBalance, invoiceBalance } from '#values/invoice-balance.ts';
import { given } from '#test/support/given.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { editCommand } from '#test/support/builders/edit.ts';
import { decidedAt, invoice, twoMugs } from '#test/support/builders/invoice.ts';

const { InvoiceCancelled, PaymentCaptured, RefundAskedAgain } = invoiceEvents.create;

const mugs = invoice('mugs');
const context = decidedAt('2026-03-02T09:00:00.000Z');
const bySandbox = { provider: 'sandbox', transactionId: 'tx' };
const ofSandbox = (amount = 2640, changes: Partial<ReturnType<typeof mugs.captured>['data']> = {}) =>
  PaymentCaptured({ ...mugs.captured(amount).data, ...bySandbox, ...changes });
const paid = [mugs.placed, ofSandbox()];
const paymentId = idNamed('payment mugs 2640');

const wanted = (name: string, changes: Partial<StartRefund> = {}): StartRefund => ({
  type: 'StartRefund',
  refundId: idNamed(name),
  paymentId,
  amount: null,
  reason: 'Damaged in transit',
  by: 'mary',
  how: 'provider',
  can: { refunds: true, partialRefunds: true },
  askId: idNamed('first ask'),
  ...changes,
});

const after = (history: readonly InvoiceEvent[]) => ({
  when: (command: Parameters<typeof invoiceDecider.decide>[1]) =>
    given(invoiceDecider, [...history]).when(command, context),
  /** With what the command brings. */
  then: (command: Parameters<typeof invoiceDecider.decide>[1]): InvoiceEvent[] => [
    ...history,
    ...given(invoiceDecider, [...history])
      .when(command, context)
      .events(),
  ],
});

const started = (name: string, changes: Partial<StartRefund> = {}, history: readonly InvoiceEvent[] = paid) =>
  after(history).then(wanted(name, changes));

const completed = (name: string, transactionId = `tx ${name}`) =>
  ({ type: 'CompleteRefund', refundId: idNamed(name), transactionId }) as const;

const refundOf = (events: readonly InvoiceEvent[]) => {
  const event = events.findLast(({ type }) => type === 'PaymentRefunded');
  return event?.type === 'PaymentRefunded' ? event.data : expect.fail('nothing was given back');
};

describe('giving back money of a payment', () => {
  it('records what is asked for before any provider is asked, and what came of it once', () => {
    const [attempted] = after(paid).when(wanted('all')).events();
    expect(attempted?.data).to.deep.equal({
      refundId: idNamed('all'),
      paymentId,
      provider: 'sandbox',
      amount: 2640,
      currency: 'GBP',
      reason: 'Damaged in transit',
      by: 'mary',
      askId: idNamed('first ask'),
      attemptedAt: context.now,
    });
    const done = after(started('all')).then(completed('all'));
    expect(refundOf(done)).to.deep.equal({
      ...mugs.invoiceName,
      refundId: idNamed('all'),
      paymentId,
      provider: 'sandbox',
      amount: 2640,
      amountInStoreCurrency: 2640,
      currency: 'GBP',
      by: 'mary',
      paymentType: 'Refund',
      transactionId: 'tx all',
      reason: 'Damaged in transit',
      givenBack: 2640,
      givenBackInStoreCurrency: 2640,
      balance: invoiceBalance(2640, 2640, 2640, 2640),
      refundedAt: context.now,
      openRefunds: 0,
    });
    after(done).when(completed('all')).thenNothing();
    after(done).when(wanted('all')).thenNothing();
  });

  it('pays out a credit first: only what goes beyond it is given back', () => {
    const overpaid = [mugs.placed, ofSandbox(3000, { paymentId, balance: invoiceBalance(2640, 3000, 0) })];
    const done = after(started('some', { amount: 500 }, overpaid)).then(completed('some'));
    expect(refundOf(done)).to.deep.include({ paymentType: 'PartialRefund', givenBack: 140 });
    expect(refundOf(done).balance).to.deep.include({ balanceDue: 0, creditDue: 0, givenBack: 140 });
  });

  it('counts refunds under way as given: of two at once, one is too much', () => {
    const one = started('one', { amount: 1600 });
    after(one)
      .when(wanted('two', { amount: 1600 }))
      .thenRefused('refund-not-possible');
    after(one)
      .when(wanted('two', { amount: 1040 }))
      .events();
    after(one).when(wanted('rest')).events();
    expect(started('rest', {}, one).at(-1)?.data).to.include({ amount: 1040 });
    after(started('rest', {}, one))
      .when(wanted('more'))
      .thenRefused('refund-not-possible');
  });

  it('says how many refunds are still to come to an end', () => {
    const both = started('two', { amount: 1040 }, started('one', { amount: 1600 }));
    const first = after(both).then(completed('one'));
    expect(refundOf(first).openRefunds).to.equal(1);
    expect(refundOf(after(first).then(completed('two'))).openRefunds).to.equal(0);
  });

  for (const [case_, command] of Object.entries({
    'of 0': wanted('no', { amount: 0 }),
    'of less than nothing': wanted('no', { amount: -1 }),
    'of more than was paid': wanted('no', { amount: 2641 }),
    'by a provider that cannot': wanted('no', { can: { refunds: false, partialRefunds: false } }),
    'of a part by a provider that gives back whole payments only': wanted('no', {
      amount: 1,
      can: { refunds: true, partialRefunds: false },
    }),
  })) {
    it(`is refused ${case_}`, () => {
      after(paid).when(command).thenRefused('refund-not-possible');
    });
  }

  it('is refused of a refund, of a payment that nobody knows, and of an invoice that nobody knows', () => {
    const refunded = after(started('all')).then(completed('all'));
    after(refunded)
      .when(wanted('again', { paymentId: idNamed('all') }))
      .thenRefused('refund-not-possible');
    after(paid)
      .when(wanted('no', { paymentId: idNamed('other') }))
      .thenRefused('entity-not-found');
    after([]).when(wanted('no')).thenRefused('invoice-not-found');
  });

  it('by hand asks nobody, whatever the provider can do', () => {
    const by = wanted('hand', { how: 'hand', amount: 640, can: { refunds: false, partialRefunds: false } });
    const events = after(paid).when(by).events();
    expect(events.map(({ type }) => type)).to.deep.equal(['PaymentRefunded']);
    expect(refundOf(events)).to.deep.include({
      provider: 'manual',
      amount: 640,
      paymentType: 'PartialRefund',
    });
  });

  it('comes to what the payment was in the currency of the store, in however many parts', () => {
    const abroad = PaymentCaptured({ ...ofSandbox().data, amountInStoreCurrency: 3001 });
    let history: InvoiceEvent[] = [mugs.placed, abroad];
    let sum = 0;
    for (const [name, amount] of [
      ['a', 333],
      ['b', 1],
      ['c', 1306],
      ['d', 1000],
    ] as const) {
      history = after(started(name, { amount }, history)).then(completed(name));
      sum += refundOf(history).amountInStoreCurrency;
    }
    expect(sum).to.equal(3001);
  });

  it('ends with the provider’s no, and may be tried again', () => {
    const no = {
      type: 'DeclineRefund',
      refundId: idNamed('all'),
      code: 'closed',
      message: 'Closed.',
    } as const;
    const declined = after(started('all')).then(no);
    expect(declined.at(-1)?.data).to.include({ code: 'closed', message: 'Closed.', openRefunds: 0 });
    after(declined).when(no).thenNothing();
    expect(started('again', {}, declined).at(-1)?.type).to.equal('RefundAttempted');
  });

  it('ends when the provider cannot be reached, if nobody else has asked', () => {
    const giveUp = { type: 'GiveUpRefund', refundId: idNamed('all'), askId: idNamed('first ask') } as const;
    expect(after(started('all')).then(giveUp).at(-1)?.data).to.include({ code: 'unavailable' });
    const again = [...started('all'), RefundAskedAgain({ refundId: idNamed('all'), provider: 'sandbox' })];
    after(again).when(giveUp).thenNothing();
    after(started('all', { how: 'owed' }))
      .when(giveUp)
      .thenNothing();
  });
});

describe('money that is owed back', () => {
  const cancelled = InvoiceCancelled({
    ...mugs.invoiceName,
    reason: 'expired',
    cancelledAt: context.now,
    balance: closedBalance(2640, 0, 0),
  });
  const late = ofSandbox(2640, { paymentId, isLate: true, balance: closedBalance(2640, 2640, 0) });
  const closed = [mugs.placed, cancelled, late];
  const owed = wanted('owed', { how: 'owed', refundId: owedRefundId(paymentId) });

  it('is given back once, and pays out a credit', () => {
    const done = after(after(closed).then(owed)).then({
      type: 'CompleteRefund',
      refundId: owedRefundId(paymentId),
      transactionId: 'back',
    });
    expect(refundOf(done)).to.deep.include({ givenBack: 0, openRefunds: 0 });
    expect(refundOf(done).balance).to.deep.include({
      balanceDue: 0,
      creditDue: 0,
      paymentStatus: 'Refunded',
    });
    after(done).when(owed).thenNothing();
    after(done)
      .when({ ...owed, refundId: idNamed('other key') })
      .thenNothing();
  });

  it('is given back as far as staff have not done so by hand before', () => {
    const byHand = started('by hand', { how: 'hand', amount: 640 }, closed);
    expect(refundOf(byHand)).to.include({ amount: 640, openRefunds: 1 });
    const [attempted] = after(byHand).when(owed).events();
    expect(attempted?.data).to.include({ amount: 2000, isOwed: true });
    const state = given(invoiceDecider, byHand).state();
    expect(isKnown(state) && owedPayments(state).map((payment) => payment.paymentId)).to.deep.equal([
      paymentId,
    ]);
    const rest = started('the rest', { how: 'hand', amount: 2000 }, byHand);
    expect(refundOf(rest).openRefunds).to.equal(0);
  });

  it('stands on the invoice where its provider cannot give it back', () => {
    const events = after(closed)
      .when({ ...owed, can: { refunds: false, partialRefunds: false } })
      .events();
    expect(events.map(({ type }) => type)).to.deep.equal(['RefundAttempted', 'RefundDeclined']);
    expect(events.at(-1)?.data).to.include({ code: 'not-supported', openRefunds: 0 });
  });
});

describe('a refund that the provider tells of', () => {
  const told = (refundId: string, amount: number | null): RecordProviderRefund => ({
    type: 'RecordProviderRefund',
    provider: 'sandbox',
    chargeTransactionId: 'tx',
    refundId,
    amount,
    reason: 'Refunded at the provider',
  });

  it('is recorded once, by its own id: two of one payment are two', () => {
    const one = after(paid).then(told('r1', 600));
    expect(refundOf(one)).to.deep.include({ amount: 600, transactionId: 'r1', by: 'sandbox' });
    after(one).when(told('r1', 600)).thenNothing();
    expect(refundOf(after(one).then(told('r2', 600))).balance.amountRefunded).to.equal(1200);
  });

  it('is the one that was asked for, if that is quicker than the answer', () => {
    const early = after(started('all', { amount: 600 })).then(told('r1', 600));
    expect(refundOf(early)).to.deep.include({ refundId: idNamed('all'), by: 'mary' });
    after(early).when(completed('all', 'r1')).thenNothing();
    // It was another one of the same amount after all.
    expect(refundOf(after(early).then(completed('all', 'r2'))).balance.amountRefunded).to.equal(1200);
  });

  it('waits while two of its amount are under way: which of them it is only their answers say', () => {
    const two = started('two', { amount: 600 }, started('one', { amount: 600 }));
    after(two).when(told('r2', 600)).thenRefused('too-busy');
    const answered = after(two).then(completed('two', 'r2'));
    after(answered).when(told('r2', 600)).thenNothing();
    const both = after(answered).then(completed('one', 'r1'));
    after(both).when(told('r1', 600)).thenNothing();
    expect(refundOf(both)).to.deep.include({
      openRefunds: 0,
      balance: invoiceBalance(2640, 2640, 1200, 1200),
    });
  });

  it('of more than is left is recorded as far as it goes; the rest is noted, once', () => {
    const most = after(paid).then(told('r1', 2000));
    const events = after(most).when(told('r2', 1000)).events();
    expect(events.map(({ type }) => type)).to.deep.equal(['PaymentRefunded', 'InvoiceNoted']);
    expect(refundOf(events).amount).to.equal(640);
    const all = [...most, ...events];
    const surplus = after(all).then(told('r3', 100));
    expect(surplus.at(-1)?.type).to.equal('InvoiceNoted');
    after(surplus).when(told('r3', 100)).thenNothing();
    const state = given(invoiceDecider, surplus).state();
    expect(isKnown(state) && state.balance.amountRefunded).to.equal(2640);
  });

  it('of a payment that nobody knows yet is not recorded', () => {
    after(paid)
      .when({ ...told('r1', 1), chargeTransactionId: 'other' })
      .thenRefused('entity-not-found');
  });
});

describe('a refund that the provider still has to make (docs/rules/refunds.md#on-its-way)', () => {
  const awaits = { type: 'AwaitRefund', refundId: idNamed('all'), transactionId: 'r1' } as const;
  const failing = {
    type: 'FailProviderRefund',
    provider: 'sandbox',
    chargeTransactionId: 'tx',
    refundId: 'r1',
    message: 'The card is closed.',
  } as const;
  const told = {
    type: 'RecordProviderRefund',
    provider: 'sandbox',
    chargeTransactionId: 'tx',
    refundId: 'r1',
    amount: 640,
    reason: 'Refunded at the provider',
  } as const;
  const balanceOf = (events: readonly InvoiceEvent[]) => {
    const state = given(invoiceDecider, [...events]).state();
    return isKnown(state) ? state.balance : expect.fail('the invoice is not known');
  };
  const pending = after(started('all', { amount: 640 })).then(awaits);

  it('is under way until then: it counts in no balance, and nobody can have that money a second time', () => {
    expect(pending.at(-1)?.data).to.include({ transactionId: 'r1', openRefunds: 0 });
    expect(balanceOf(pending)).to.include({ amountRefunded: 0, paymentStatus: 'Paid' });
    after(pending).when(awaits).thenNothing();
    after(pending)
      .when(wanted('more', { amount: 2001 }))
      .thenRefused('refund-not-possible');
  });

  it('is done once the provider says so, by a callback or when it is asked', () => {
    for (const said of [told, completed('all', 'r1')]) {
      const done = after(pending).then(said);
      expect(refundOf(done)).to.include({ refundId: idNamed('all'), by: 'mary', transactionId: 'r1' });
      after(done).when(told).thenNothing();
      after(done).when(completed('all', 'r1')).thenNothing();
    }
  });

  it('is not taken for another one of the same amount', () => {
    const both = after(pending).then({ ...told, refundId: 'r2' });
    expect(refundOf(both)).to.include({ by: 'sandbox', transactionId: 'r2' });
    expect(refundOf(after(both).then(told))).to.include({ by: 'mary' });
  });

  it('that fails has given nothing back, and says of which invoice that was promised', () => {
    const decline = { type: 'DeclineRefund', refundId: idNamed('all'), code: 'no', message: 'No.' } as const;
    for (const said of [failing, decline]) {
      const failed = after(pending).then(said);
      expect(failed.at(-1)).to.have.property('type', 'RefundDeclined');
      const { invoiceNumber } = mugs.invoiceName;
      expect(failed.at(-1)?.data).to.deep.include({ wasPending: { invoiceNumber }, openRefunds: 0 });
      expect(balanceOf(failed).amountRefunded).to.equal(0);
      after(failed).when(failing).thenNothing();
      after(failed).when(told).thenNothing();
      expect(started('again', {}, failed).at(-1)?.data).to.include({ amount: 2640 });
    }
  });

  it('that fails after it was done takes back what it did to the balance', () => {
    const overpaid = [mugs.placed, ofSandbox(3000, { paymentId, balance: invoiceBalance(2640, 3000, 0) })];
    const before = balanceOf(overpaid);
    const done = after(started('all', { amount: 640 }, overpaid)).then(completed('all', 'r1'));
    expect(balanceOf(done)).to.include({ creditDue: 0, givenBack: 280 });
    const failed = after(done).then(failing);
    expect(failed.at(-1)?.data).to.include({ amount: 640, givenBackInStoreCurrency: 280 });
    expect(balanceOf(failed)).to.deep.equal(before);
    after(failed).when(failing).thenNothing();
    after(failed).when(completed('all', 'r1')).thenNothing();
    expect(started('again', {}, failed).at(-1)?.data).to.include({ amount: 3000 });
  });

  const returnsOf = ({ type, data }: InvoiceEvent): readonly number[] => {
    if (type === 'PaymentRefunded') return [data.givenBackInStoreCurrency];
    if (type === 'InvoiceEdited') return [data.difference.returns];
    return type === 'RefundFailed' ? [0 - data.givenBackInStoreCurrency] : [];
  };
  const line = { id: idNamed('line order'), shouldReturnToStock: true };
  const twoOff = {
    type: 'FixedAmount',
    value: 200,
    name: null,
    reason: null,
    isVisibleToCustomer: true,
  } as const;
  for (const [what, edit, credit, returns] of [
    ['all', { lineItems: [{ ...line, quantity: 1 }] }, 1200, [640, -640, 0]],
    ['a part', { orderDiscounts: [twoOff] }, 240, [640, -240, -400]],
  ] as const) {
    it(`that fails after an edit has lowered ${what} of what it gave back takes down the rest`, () => {
      const sold = [...paid, mugs.confirmed()];
      const done = after(started('all', { amount: 640 }, sold)).then(completed('all', 'r1'));
      const edited = given(invoiceDecider, done).when(editCommand(twoMugs(), edit), context).events();
      const failed = after([...done, ...edited]).then(failing);
      expect(failed.flatMap(returnsOf)).to.deep.equal(returns);
      expect(balanceOf(failed)).to.include({
        ...{ amountRefunded: 0, givenBack: 0, balanceDue: 0, creditDue: credit },
      });
    });
  }

  it('that fails is no part of what refunds come to in the currency of the store', () => {
    const abroad = PaymentCaptured({ ...ofSandbox().data, amountInStoreCurrency: 3001 });
    const give = (events: readonly InvoiceEvent[], name: string, amount: number) =>
      after(started(name, { amount }, events)).then(completed(name, name));
    const two = give(give([mugs.placed, abroad], 'a', 333), 'b', 1);
    const one = after(two).then({ ...failing, refundId: 'a' });
    const all = give(one, 'rest', 2639);
    const sum = all.reduce((total, { type, data }) => {
      if (type === 'PaymentRefunded') return total + data.amountInStoreCurrency;
      return type === 'RefundFailed' ? total - data.amountInStoreCurrency : total;
    }, 0);
    expect(sum).to.equal(3001);
  });

  it('that nobody knows yet waits', () => {
    after(paid).when(failing).thenRefused('entity-not-found');
  });
});
