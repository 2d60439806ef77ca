import { expect } from 'chai';
import type { CreateInvoice, InvoiceCommand } from '#command/contexts/invoices/invoice.commands.ts';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import { closedBalance, invoiceBalance } from '#values/invoice-balance.ts';
import { given, inContext } from '#test/support/given.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { decidedAt, invoice, mugOrder, twoMugs } from '#test/support/builders/invoice.ts';
import { byHand } from '#test/support/builders/payment.ts';

const {
  InvoiceCancelled,
  InvoiceCreated,
  InvoiceSuperseded,
  InvoiceVoided,
  OrderStatusChanged,
  PaymentAttempted,
} = invoiceEvents.create;

const context = decidedAt('2026-03-01T09:05:00.000Z');
const rules = inContext(invoiceDecider, context);
const mugs = invoice('mugs');

const createOf = ({ placed }: ReturnType<typeof invoice>): CreateInvoice => {
  const { balance: _, ...data } = placed.data;
  return { type: 'CreateInvoice', ...data };
};

const supersede: InvoiceCommand = { type: 'SupersedeInvoice', placementId: idNamed('newer') };
const confirm: InvoiceCommand = { type: 'ConfirmSale' };

const asked = PaymentAttempted({
  attemptId: idNamed('attempt'),
  provider: 'sandbox',
  method: 'card',
  token: 'tok',
  tokenHash: 'hash',
  amount: 2640,
  currency: 'GBP',
});

describe('an invoice', () => {
  it('is created once, unpaid', () => {
    given(rules).when(createOf(mugs)).then([mugs.placed]);
    given(rules, [mugs.placed]).when(createOf(mugs)).thenNothing();
  });

  it('of nothing is paid as soon as it is there', () => {
    const amounts = { subTotal: 2000, discount: 2000, shipping: 0, tax: 0, total: 0 };
    const free = invoice('free', { content: { amounts, amountsInStoreCurrency: amounts } });
    const [created, captured] = given(rules).when(createOf(free)).events();
    expect(created).to.deep.equal(
      InvoiceCreated({
        ...free.placed.data,
        balance: { ...invoiceBalance(0, 0, 0), paymentStatus: 'Unpaid' },
      }),
    );
    expect(captured?.data).to.deep.include({ provider: 'none', amount: 0, balance: invoiceBalance(0, 0, 0) });
  });

  const { data: movedAway } = mugs.moved('Cancelled');
  const goneSilently = OrderStatusChanged({ ...movedAway, isSilent: true });

  it('is replaced by a newer one, once, and its orders with it, silently', () => {
    const replaced = InvoiceSuperseded({ ...mugs.invoiceName, supersededBy: idNamed('newer') });
    given(rules, [mugs.placed]).when(supersede).then([replaced, goneSilently]);
    given(rules, [mugs.placed, replaced]).when(supersede).thenNothing();
  });

  it('is not replaced once it has been paid, nor while that is unknown', () => {
    given(rules, [mugs.placed, mugs.captured()]).when(supersede).thenRefused('invoice-already-paid');
    given(rules, [mugs.placed, mugs.captured(100)])
      .when(supersede)
      .thenRefused('invoice-already-paid');
    given(rules, [mugs.placed, asked]).when(supersede).thenRefused('payment-unknown');
  });

  it('expires when nobody has paid in time: cancelled once, with its orders, owing nothing', () => {
    const expire: InvoiceCommand = { type: 'ExpireInvoice' };
    const cancelled = (cancelledAt: string) =>
      InvoiceCancelled({
        ...mugs.invoiceName,
        reason: null,
        cancelledAt,
        balance: { ...invoiceBalance(0, 0, 0), paymentStatus: 'Unpaid' },
      });
    const at = (now: string) => ({ ...context, now });
    const hourLater = at('2026-03-01T10:00:00.000Z');
    const dayLater = at('2026-03-02T10:00:00.000Z');
    expect(closedBalance(2640, 0, 0)).to.deep.equal(cancelled('').data.balance);
    given(rules, [mugs.placed])
      .now(inContext(invoiceDecider, at('2026-03-01T09:59:59.999Z')))
      .when(expire)
      .thenNothing();
    given(rules, [mugs.placed])
      .now(inContext(invoiceDecider, hourLater))
      .when(expire)
      .then([cancelled(hourLater.now), goneSilently]);
    const closed = [mugs.placed, cancelled(hourLater.now), mugs.moved('Cancelled')];
    given(rules, closed).now(inContext(invoiceDecider, dayLater)).when(expire).thenNothing();
    given(rules, closed).now(inContext(invoiceDecider, dayLater)).when(supersede).thenNothing();
    for (const history of [[mugs.captured(100)], [mugs.captured(), mugs.confirmed()], [mugs.captured()]])
      given(rules, [mugs.placed, ...history])
        .now(inContext(invoiceDecider, dayLater))
        .when(expire)
        .thenNothing();
    given(rules, [mugs.placed, asked]).now(inContext(invoiceDecider, hourLater)).when(expire).thenNothing();
    given(rules).now(inContext(invoiceDecider, dayLater)).when(expire).thenRefused('invoice-not-found');
  });

  it('is given up before its time as if it had expired, unless there is a payment', () => {
    const giveUp: InvoiceCommand = { type: 'GiveUpInvoice' };
    const placed = given(rules, [mugs.placed]);
    placed
      .when(giveUp)
      .thenLike(
        ['InvoiceCancelled', { reason: null, cancelledAt: context.now }],
        ['OrderStatusChanged', { isSilent: true }],
      );
    placed.after(giveUp).when(giveUp).thenNothing();
    placed.happened(mugs.captured()).when(giveUp).thenRefused('invoice-already-paid');
    placed.happened(asked).when(giveUp).thenRefused('payment-unknown');
    placed
      .after({ ...byHand, holdMinutes: 60 })
      .when(giveUp)
      .thenRefused('payment-unknown');
  });

  it('is announced as a sale when it is paid, once, with its orders on their way', () => {
    const paid = [mugs.placed, mugs.captured()];
    const [moved, confirmed] = given(rules, paid).when(confirm).events();
    expect(moved).to.deep.equal(mugs.moved('ReadyToFulfill'));
    expect(confirmed?.data).to.deep.include({
      invoiceNumber: 'INV-0001',
      content: twoMugs(),
      balance: invoiceBalance(2640, 2640, 0),
      email: 'ada@example.com',
      customerName: 'Ada Lovelace',
      confirmedAt: context.now,
    });
    given(rules, [...paid, mugs.confirmed()])
      .when(confirm)
      .thenNothing();
    given(rules, [mugs.placed]).when(confirm).thenRefused('invoice-unpaid');
    given(rules).when(confirm).thenRefused('invoice-not-found');
  });

  it('completes orders of which nothing is sent', () => {
    const [line] = mugOrder('digital').lines;
    const digital = { ...mugOrder('digital'), lines: line ? [{ ...line, isDigital: true }] : [] };
    const both = invoice('both', { content: { orders: [mugOrder('order'), digital] } });
    const events = given(rules, [both.placed, both.captured()]).when(confirm).events();
    expect(events.slice(0, 2)).to.deep.equal([
      both.moved('ReadyToFulfill'),
      both.moved('Completed', 'digital'),
    ]);
  });

  it('that could not be created is void under its number, and stays so', () => {
    const why = { businessDay: '2026-03-01', reason: 'the invoice could not be created' };
    const data = { placementId: idNamed('placement mugs'), invoiceNumber: 'INV-0001', ...why };
    const voided = InvoiceVoided(data);
    given(rules)
      .when({ type: 'VoidInvoice', ...data })
      .then([voided]);
    given(rules, [voided])
      .when({ type: 'VoidInvoice', ...data })
      .thenNothing();
    given(rules, [mugs.placed])
      .when({ type: 'VoidInvoice', ...data })
      .thenNothing();
    given(rules, [voided]).when(createOf(mugs)).thenRefused('cancelled');
  });
});
