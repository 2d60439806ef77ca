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
import { given, inContext } from '#test/support/given.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { editCommand } from '#test/support/builders/edit.ts';
import { decidedAt, invoice, twoMugs } from '#test/support/builders/invoice.ts';

const { InvoiceCancelled, PaymentCaptured, RefundAskedAgain } = invoiceEvents.create;

const mugs = invoice('mugs');
const context = decidedAt('2026-03-02T09:00:00.000Z');
const rules = inContext(invoiceDecider, context);
const bySandbox = { provider: 'sandbox', transactionId: 'tx' };
const ofSandbox = (amount = 2640, changes: Partial<ReturnType<typeof mugs.captured>['data']> = {}) =>
  PaymentCaptured({ ...mugs.captured(amount).data, ...bySandbox, ...changes });
const invoiceWith = (...history: readonly InvoiceEvent[]) => given(rules, history);
type Invoice = ReturnType<typeof invoiceWith>;
const paid = invoiceWith(mugs.placed, ofSandbox());
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

const started = (name: string, changes: Partial<StartRefund> = {}, of: Invoice = paid): Invoice =>
  of.after(wanted(name, changes));

const completed = (name: string, transactionId = `tx ${name}`) =>
  ({ type: 'CompleteRefund', refundId: idNamed(name), transactionId }) as const;

const lastOf = ({ history }: Invoice) => history.at(-1);

const refundOf = ({ history }: Pick<Invoice, 'history'>) => {
  const event = history.findLast(({ type }) => type === 'PaymentRefunded');
  return event?.type === 'PaymentRefunded' ? event.data : expect.fail('nothing was given back');
};

describe('giving back money of a payment', () => {
  it('records what is asked for before any provider is asked, and what came of it once', () => {
    const [attempted] = paid.when(wanted('all')).events();
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
    const done = started('all').after(completed('all'));
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
    done.when(completed('all')).thenNothing();
    done.when(wanted('all')).thenNothing();
  });

  it('pays out a credit first: only what goes beyond it is given back', () => {
    const overpaid = invoiceWith(
      mugs.placed,
      ofSandbox(3000, { paymentId, balance: invoiceBalance(2640, 3000, 0) }),
    );
    const done = started('some', { amount: 500 }, overpaid).after(completed('some'));
    expect(refundOf(done)).to.deep.include({ paymentType: 'PartialRefund', givenBack: 140 });
    expect(refundOf(done).balance).to.deep.include({ balanceDue: 0, creditDue: 0, givenBack: 140 });
  });

  it('counts refunds under way as given: of two at once, one is too much', () => {
    const one = started('one', { amount: 1600 });
    one.when(wanted('two', { amount: 1600 })).thenRefused('refund-not-possible');
    one.when(wanted('two', { amount: 1040 })).events();
    one.when(wanted('rest')).events();
    expect(lastOf(started('rest', {}, one))?.data).to.include({ amount: 1040 });
    started('rest', {}, one).when(wanted('more')).thenRefused('refund-not-possible');
  });

  it('says how many refunds are still to come to an end', () => {
    const both = started('two', { amount: 1040 }, started('one', { amount: 1600 }));
    const first = both.after(completed('one'));
    expect(refundOf(first).openRefunds).to.equal(1);
    expect(refundOf(first.after(completed('two'))).openRefunds).to.equal(0);
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
      paid.when(command).thenRefused('refund-not-possible');
    });
  }

  it('is refused of a refund, of a payment that nobody knows, and of an invoice that nobody knows', () => {
    const refunded = started('all').after(completed('all'));
    refunded.when(wanted('again', { paymentId: idNamed('all') })).thenRefused('refund-not-possible');
    paid.when(wanted('no', { paymentId: idNamed('other') })).thenRefused('entity-not-found');
    invoiceWith().when(wanted('no')).thenRefused('invoice-not-found');
  });

  it('by hand asks nobody, whatever the provider can do', () => {
    const by = wanted('hand', { how: 'hand', amount: 640, can: { refunds: false, partialRefunds: false } });
    const events = paid.when(by).events();
    expect(events.map(({ type }) => type)).to.deep.equal(['PaymentRefunded']);
    expect(refundOf({ history: events })).to.deep.include({
      provider: 'manual',
      amount: 640,
      paymentType: 'PartialRefund',
    });
  });

  it('comes to what the payment was in the currency of the store, in however many parts', () => {
    const abroad = PaymentCaptured({ ...ofSandbox().data, amountInStoreCurrency: 3001 });
    let sale = invoiceWith(mugs.placed, abroad);
    let sum = 0;
    for (const [name, amount] of [
      ['a', 333],
      ['b', 1],
      ['c', 1306],
      ['d', 1000],
    ] as const) {
      sale = started(name, { amount }, sale).after(completed(name));
      sum += refundOf(sale).amountInStoreCurrency;
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
    const declined = started('all').after(no);
    expect(lastOf(declined)?.data).to.include({ code: 'closed', message: 'Closed.', openRefunds: 0 });
    declined.when(no).thenNothing();
    expect(lastOf(started('again', {}, declined))?.type).to.equal('RefundAttempted');
  });

  it('ends when the provider cannot be reached, if nobody else has asked', () => {
    const giveUp = { type: 'GiveUpRefund', refundId: idNamed('all'), askId: idNamed('first ask') } as const;
    expect(lastOf(started('all').after(giveUp))?.data).to.include({ code: 'unavailable' });
    const again = started('all').happened(
      RefundAskedAgain({ refundId: idNamed('all'), provider: 'sandbox' }),
    );
    again.when(giveUp).thenNothing();
    started('all', { how: 'owed' }).when(giveUp).thenNothing();
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
  const closed = invoiceWith(mugs.placed, cancelled, late);
  const owed = wanted('owed', { how: 'owed', refundId: owedRefundId(paymentId) });

  it('is given back once, and pays out a credit', () => {
    const done = closed.after(owed).after({
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
    done.when(owed).thenNothing();
    done.when({ ...owed, refundId: idNamed('other key') }).thenNothing();
  });

  it('is given back as far as staff have not done so by hand before', () => {
    const byHand = started('by hand', { how: 'hand', amount: 640 }, closed);
    expect(refundOf(byHand)).to.include({ amount: 640, openRefunds: 1 });
    const [attempted] = byHand.when(owed).events();
    expect(attempted?.data).to.include({ amount: 2000, isOwed: true });
    expect(owedPayments(byHand.state(isKnown)).map((payment) => payment.paymentId)).to.deep.equal([
      paymentId,
    ]);
    const rest = started('the rest', { how: 'hand', amount: 2000 }, byHand);
    expect(refundOf(rest).openRefunds).to.equal(0);
  });

  it('stands on the invoice where its provider cannot give it back', () => {
    const events = closed.when({ ...owed, can: { refunds: false, partialRefunds: false } }).events();
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
    const one = paid.after(told('r1', 600));
    expect(refundOf(one)).to.deep.include({ amount: 600, transactionId: 'r1', by: 'sandbox' });
    one.when(told('r1', 600)).thenNothing();
    expect(refundOf(one.after(told('r2', 600))).balance.amountRefunded).to.equal(1200);
  });

  it('is the one that was asked for, if that is quicker than the answer', () => {
    const early = started('all', { amount: 600 }).after(told('r1', 600));
    expect(refundOf(early)).to.deep.include({ refundId: idNamed('all'), by: 'mary' });
    early.when(completed('all', 'r1')).thenNothing();
    // It was another one of the same amount after all.
    expect(refundOf(early.after(completed('all', 'r2'))).balance.amountRefunded).to.equal(1200);
  });

  it('waits while two of its amount are under way: which of them it is only their answers say', () => {
    const two = started('two', { amount: 600 }, started('one', { amount: 600 }));
    two.when(told('r2', 600)).thenRefused('too-busy');
    const answered = two.after(completed('two', 'r2'));
    answered.when(told('r2', 600)).thenNothing();
    const both = answered.after(completed('one', 'r1'));
    both.when(told('r1', 600)).thenNothing();
    expect(refundOf(both)).to.deep.include({
      openRefunds: 0,
      balance: invoiceBalance(2640, 2640, 1200, 1200),
    });
  });

  it('of more than is left is recorded as far as it goes; the rest is noted, once', () => {
    const most = paid.after(told('r1', 2000));
    const events = most.when(told('r2', 1000)).events();
    expect(events.map(({ type }) => type)).to.deep.equal(['PaymentRefunded', 'InvoiceNoted']);
    expect(refundOf({ history: events }).amount).to.equal(640);
    const surplus = most.after(told('r2', 1000), told('r3', 100));
    expect(lastOf(surplus)?.type).to.equal('InvoiceNoted');
    surplus.when(told('r3', 100)).thenNothing();
    expect(surplus.state(isKnown).balance.amountRefunded).to.equal(2640);
  });

  it('of a payment that nobody knows yet is not recorded', () => {
    paid.when({ ...told('r1', 1), chargeTransactionId: 'other' }).thenRefused('entity-not-found');
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
  const balanceOf = (of: Invoice) => of.state(isKnown).balance;
  const pending = started('all', { amount: 640 }).after(awaits);

  it('is under way until then: it counts in no balance, and nobody can have that money a second time', () => {
    expect(lastOf(pending)?.data).to.include({ transactionId: 'r1', openRefunds: 0 });
    expect(balanceOf(pending)).to.include({ amountRefunded: 0, paymentStatus: 'Paid' });
    pending.when(awaits).thenNothing();
    pending.when(wanted('more', { amount: 2001 })).thenRefused('refund-not-possible');
  });

  it('is done once the provider says so, by a callback or when it is asked', () => {
    for (const said of [told, completed('all', 'r1')]) {
      const done = pending.after(said);
      expect(refundOf(done)).to.include({ refundId: idNamed('all'), by: 'mary', transactionId: 'r1' });
      done.when(told).thenNothing();
      done.when(completed('all', 'r1')).thenNothing();
    }
  });

  it('is not taken for another one of the same amount', () => {
    const both = pending.after({ ...told, refundId: 'r2' });
    expect(refundOf(both)).to.include({ by: 'sandbox', transactionId: 'r2' });
    expect(refundOf(both.after(told))).to.include({ by: 'mary' });
  });

  it('that fails has given nothing back, and says of which invoice that was promised', () => {
    const decline = { type: 'DeclineRefund', refundId: idNamed('all'), code: 'no', message: 'No.' } as const;
    for (const said of [failing, decline]) {
      const failed = pending.after(said);
      expect(lastOf(failed)).to.have.property('type', 'RefundDeclined');
      const { invoiceNumber } = mugs.invoiceName;
      expect(lastOf(failed)?.data).to.deep.include({ wasPending: { invoiceNumber }, openRefunds: 0 });
      expect(balanceOf(failed).amountRefunded).to.equal(0);
      failed.when(failing).thenNothing();
      failed.when(told).thenNothing();
      expect(lastOf(started('again', {}, failed))?.data).to.include({ amount: 2640 });
    }
  });

  it('that fails after it was done takes back what it did to the balance', () => {
    const overpaid = invoiceWith(
      mugs.placed,
      ofSandbox(3000, { paymentId, balance: invoiceBalance(2640, 3000, 0) }),
    );
    const before = balanceOf(overpaid);
    const done = started('all', { amount: 640 }, overpaid).after(completed('all', 'r1'));
    expect(balanceOf(done)).to.include({ creditDue: 0, givenBack: 280 });
    const failed = done.after(failing);
    expect(lastOf(failed)?.data).to.include({ amount: 640, givenBackInStoreCurrency: 280 });
    expect(balanceOf(failed)).to.deep.equal(before);
    failed.when(failing).thenNothing();
    failed.when(completed('all', 'r1')).thenNothing();
    expect(lastOf(started('again', {}, failed))?.data).to.include({ amount: 3000 });
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
      const sold = paid.happened(mugs.confirmed());
      const done = started('all', { amount: 640 }, sold).after(completed('all', 'r1'));
      const failed = done.after(editCommand(twoMugs(), edit), failing);
      expect(failed.history.flatMap(returnsOf)).to.deep.equal(returns);
      expect(balanceOf(failed)).to.include({
        ...{ amountRefunded: 0, givenBack: 0, balanceDue: 0, creditDue: credit },
      });
    });
  }

  it('that fails is no part of what refunds come to in the currency of the store', () => {
    const abroad = PaymentCaptured({ ...ofSandbox().data, amountInStoreCurrency: 3001 });
    const give = (of: Invoice, name: string, amount: number) =>
      started(name, { amount }, of).after(completed(name, name));
    const two = give(give(invoiceWith(mugs.placed, abroad), 'a', 333), 'b', 1);
    const one = two.after({ ...failing, refundId: 'a' });
    const all = give(one, 'rest', 2639);
    const sum = all.history.reduce((total, { type, data }) => {
      if (type === 'PaymentRefunded') return total + data.amountInStoreCurrency;
      return type === 'RefundFailed' ? total - data.amountInStoreCurrency : total;
    }, 0);
    expect(sum).to.equal(3001);
  });

  it('that nobody knows yet waits', () => {
    paid.when(failing).thenRefused('entity-not-found');
  });
});
