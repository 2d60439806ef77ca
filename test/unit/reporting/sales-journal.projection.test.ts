import { expect } from 'chai';
import { invoiceEvents } from '#events/invoice.events.ts';
import { saleFigures } from '#events/sale-figures.ts';
import { closedBalance } from '#values/invoice-balance.ts';
import { MAX_AMOUNT } from '#values/money.ts';
import { chosen } from '#test/support/builders/addon.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { invoice, mugOrder, twoMugs } from '#test/support/builders/invoice.ts';
import { dayIn, journalOf } from '#test/support/builders/period.ts';
import { saleOf } from '#test/support/builders/sale.ts';
import { inStream, type GivenEvent } from '#test/support/given.ts';

const { InvoiceCancelled, InvoiceDeleted, PaymentRefunded } = invoiceEvents.create;

describe('the sales of a day', () => {
  it('count a sale on the day of its invoice, with every figure of the report', () => {
    expect(dayIn('2026-03-01', journalOf(...invoice('first').sold()))).to.deep.include({
      grossSales: 2000,
      discounts: 200,
      shipping: 400,
      taxes: 440,
      total: 2640,
      cost: 600,
      invoices: 1,
      items: 2,
      ordersFulfilled: 0,
    });
  });

  it('count what add-ons cost, for every unit that they were sold with', () => {
    const order = mugOrder('order');
    const addon = {
      id: idNamed('wrapped'),
      basketLineId: idNamed('wrap'),
      ...chosen('Wrap', 'Gold'),
      sku: 'mug-GOLD',
      name: 'Wrap: Gold',
      unitPrice: 250,
      lineTotal: 500,
      discount: 0,
      tax: 100,
      taxRate: 20,
      isTaxable: true,
      costInStoreCurrency: 40,
      lineTotalInStoreCurrency: 500,
    };
    const lines = order.lines.map((line) => ({
      ...line,
      addons: [addon, { ...addon, costInStoreCurrency: -15 }],
    }));
    expect(
      dayIn(
        '2026-03-01',
        journalOf(...invoice('wrapped', { content: { orders: [{ ...order, lines }] } }).sold()),
      ),
    ).to.deep.include({ cost: 650, items: 2 });
  });

  it('stay exact at the largest costs', () => {
    const order = mugOrder('order');
    const lines = order.lines.map((line) => ({
      ...line,
      costInStoreCurrency: MAX_AMOUNT,
      quantity: 9_999_999,
    }));
    expect(
      dayIn(
        '2026-03-01',
        journalOf(...invoice('dear', { content: { orders: [{ ...order, lines }] } }).sold()),
      ),
    ).to.deep.include({ total: 2640, cost: MAX_AMOUNT });
  });

  it('tell apart what was sold elsewhere than in the storefront, until it is cancelled and deleted', () => {
    const source = { ...twoMugs().source, type: 'draft' } as const;
    const draft = invoice('draft', { content: { source } });
    const sale = saleFigures(twoMugs({ source }), 0);
    const by = { balance: closedBalance(2640, 2640, 0, 0), sale };
    const cancelled = InvoiceCancelled({
      ...draft.invoiceName,
      ...by,
      ...{ reason: 'A mistake.', cancelledBy: 'mary', cancelledAt: '2026-03-02T09:00:00.000Z' },
    });
    const deleted = InvoiceDeleted({
      ...draft.invoiceName,
      ...by,
      ...{ deletedBy: 'mary', deletedAt: '2026-03-02T09:00:00.000Z' },
      ...{ orderIds: [], paymentIds: [], completedDays: [], wasCancelled: true },
    });
    const sold = [...invoice('web').sold(), ...draft.sold()];
    const figures = (...happened: readonly GivenEvent[]) => {
      const journal = journalOf(...happened);
      const of = dayIn('2026-03-01', journal, { sourceType: 'draft' });
      const withCancelled = dayIn('2026-03-01', journal, { sourceType: 'draft', includeCancelled: true });
      return [dayIn('2026-03-01', journal)?.invoices, of?.invoices, of?.total, withCancelled?.total];
    };
    expect(sale.sourceType).to.equal('draft');
    expect(figures(...sold)).to.deep.equal([2, 1, 2640, 2640]);
    const closed = { ...cancelled, stream: draft.stream };
    expect(figures(...sold, closed)).to.deep.equal([1, 0, 0, 2640]);
    expect(figures(...sold, closed, { ...deleted, stream: draft.stream })).to.deep.equal([1, 0, 0, 0]);
  });

  it('skip an unpaid invoice', () => {
    const { stream, placed } = invoice('unpaid');
    expect(journalOf(...inStream(stream, placed))).to.deep.equal([]);
  });

  it('count a customer who buys twice a day once', () => {
    const day = '2026-03-01';
    const journal = journalOf(
      ...saleOf({ day }),
      ...saleOf({ day, previousSaleDay: day }),
      ...saleOf({ day, previousSaleDay: '2026-02-01' }),
    );
    expect(dayIn(day, journal)).to.deep.include({ invoices: 3, customers: 2, returning: 1 });
    // 28 days before: ab, as z is 26.
    const kept = journal.filter(({ scope }) => scope === 'all').map(({ days }) => days[day]?.customers);
    expect(kept).to.have.deep.members([
      { first: 1, again: 1 },
      { byDaysSince: 'ab1' },
      { first: 1, again: 1, byDaysSince: 'ab1' },
    ]);
    const earlier = journal.flatMap((entry) => entry.earlier ?? []);
    expect(earlier).to.deep.equal(Array(2).fill({ last: 'ab1', firstElsewhere: '' }));
  });

  it('count an order as fulfilled on the day on which it is completed', () => {
    const { stream, placed, moved } = invoice('download', { content: { businessDay: '2026-02-28' } });
    // Late in the evening in New York.
    const recordedAt = '2026-03-02T03:00:00.000Z';
    const completed = { ...moved('Completed', 'order', 'Pending', '2026-03-01'), stream, recordedAt };
    const shipped = { ...moved('Shipped'), stream };
    const history = [{ ...placed, stream }, shipped, completed];
    expect(dayIn('2026-03-01', journalOf(...history))).to.deep.include({ ordersFulfilled: 1, invoices: 0 });
    const { changedDay: _, ...ofBefore } = completed.data;
    expect(
      dayIn('2026-03-02', journalOf({ ...placed, stream }, { ...completed, data: ofBefore })),
    ).to.deep.include({ ordersFulfilled: 1 });
    const left = moved('Shipped', 'order', 'Completed', '2026-03-05');
    const undone = { ...left, data: { ...left.data, completedDay: '2026-03-01' }, stream };
    expect(dayIn('2026-03-01', journalOf(...history, undone))).to.deep.include({ ordersFulfilled: 0 });
  });

  it('keep the fulfilled orders of a cancelled invoice, and not those of a deleted one', () => {
    const { stream, invoiceName, placed, moved } = invoice('done', {
      content: { businessDay: '2026-02-28' },
    });
    const completed = moved('Completed', 'order', 'Shipped', '2026-03-01');
    const balance = closedBalance(2640, 2640, 0, 0);
    const cancelled = InvoiceCancelled({
      ...invoiceName,
      ...{ balance, reason: 'A mistake.', cancelledBy: 'mary', cancelledAt: '2026-03-02T09:00:00.000Z' },
    });
    const deleted = InvoiceDeleted({
      ...invoiceName,
      ...{ balance, deletedBy: 'mary', deletedAt: '2026-03-03T09:00:00.000Z' },
      ...{ orderIds: [], paymentIds: [], completedDays: ['2026-03-01'], wasCancelled: true },
    });
    const after = (...more: readonly GivenEvent[]) =>
      dayIn('2026-03-01', journalOf(...inStream(stream, placed, completed, ...more)))?.ordersFulfilled;
    expect(after(cancelled)).to.equal(1);
    expect(after(cancelled, deleted)).to.equal(0);
  });

  it('begin with whatever comes first for a day', () => {
    const { stream, invoiceName } = invoice('earlier');
    const refunded = PaymentRefunded({
      ...{ ...invoiceName, refundId: idNamed('refund'), paymentId: idNamed('payment') },
      ...{ provider: 'manual', amount: 500, currency: 'GBP', by: 'mary', transactionId: 'refund' },
      ...{ paymentType: 'PartialRefund', amountInStoreCurrency: 500, reason: null, isOfSale: true },
      ...{ givenBack: 500, givenBackInStoreCurrency: 500, openRefunds: 0 },
      ...{ balance: closedBalance(2640, 2640, 500, 500), refundedAt: '2026-03-02T09:00:00.000Z' },
    });
    const journal = journalOf(...inStream(stream, refunded));
    expect(dayIn('2026-03-01', journal)).to.deep.include({ returns: 500, total: 0 });
  });
});
