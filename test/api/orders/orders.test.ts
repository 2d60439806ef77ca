import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import { invoiceBalance } from '#values/invoice-balance.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { invoice } from '#test/support/builders/invoice.ts';
import { inStream } from '#test/support/given.ts';
import type { Answer } from '#test/support/browser.ts';
import { openReadingShop, type ReadingShop } from '#test/support/reading-shop.ts';

const at = (createdAt: string) => ({ content: { createdAt, businessDay: createdAt.slice(0, 10) } });
const paid = invoice('paid', { number: 'INV-0001', ...at('2026-03-01T09:00:00.000Z') });
const unpaid = invoice('unpaid', {
  number: 'INV-0002',
  customer: 'Bob Marsh',
  email: 'bob@example.com',
  content: { createdAt: '2026-03-01T10:00:00.000Z', customerId: idNamed('bob') },
});
const old = invoice('old', { number: 'INV-0003', ...at('2026-02-01T09:00:00.000Z') });
const onAccount = invoice('on account', { number: 'INV-0004', ...at('2026-01-01T09:00:00.000Z') });
const superseded = invoiceEvents.create.InvoiceSuperseded({
  ...old.invoiceName,
  supersededBy: idNamed('newer'),
});

interface Row {
  readonly invoiceNumber: string;
}
const numbersIn = ({ body }: Answer): string[] =>
  (body.items as Row[]).map(({ invoiceNumber }) => invoiceNumber);

describe('GET /orders', () => {
  let shop: ReadingShop;
  before(async () => {
    shop = await openReadingShop([
      ...paid.sold(),
      ...inStream(paid.stream, paid.moved('Completed', 'order', 'ReadyToFulfill')),
      ...inStream(unpaid.stream, unpaid.placed),
      ...inStream(old.stream, old.placed, superseded, old.moved('Cancelled')),
      ...inStream(onAccount.stream, onAccount.placed, onAccount.confirmed(null, invoiceBalance(2640, 0, 0))),
    ]);
  });
  after(() => shop.close());

  it('lists what stands, newest first, in the envelope of every list', async () => {
    const answer = await shop.manage('/orders?pageSize=2');
    expect(answer.status).to.equal(200);
    expect(numbersIn(answer)).to.deep.equal(['INV-0002', 'INV-0001']);
    const { items: _, ...envelope } = answer.body;
    expect(envelope).to.deep.equal({
      page: 1,
      pageIndex: 1,
      currentPage: 1,
      pageSize: 2,
      totalItems: 3,
      totalPages: 2,
      hasPreviousPage: false,
      hasNextPage: true,
    });
    expect(numbersIn(await shop.manage('/orders?pageSize=2&page=2'))).to.deep.equal(['INV-0004']);
  });

  it('shows a row as the backoffice reads it', async () => {
    const { body } = await shop.manage('/orders?search=ada@&paymentStatus=paid');
    expect((body.items as unknown[])[0]).to.deep.include({
      id: paid.id,
      invoiceNumber: 'INV-0001',
      customerName: 'Ada Lovelace',
      sourceType: 'web',
      currencyCode: 'GBP',
      currencySymbol: '£',
      total: 26.4,
      totalInStoreCurrency: 26.4,
      isMultiCurrency: false,
      paymentStatus: 'Paid',
      paymentStatusDisplay: 'Paid',
      fulfillmentStatus: 'Fulfilled',
      isCancelled: false,
      itemCount: 2,
      riskLevel: null,
    });
  });

  it('filters by every status, by name or number, and searches number, name and e-mail', async () => {
    const found = async (query: string): Promise<string[]> =>
      numbersIn(await shop.manage(`/orders?${query}`));
    expect(await found('cancellationStatus=cancelled')).to.deep.equal(['INV-0003']);
    expect(await found('cancellationStatus=all')).to.have.length(4);
    expect(await found('cancellationStatus=all&search=inv-0003')).to.deep.equal(['INV-0003']);
    expect(await found('paymentStatus=Unpaid')).to.deep.equal(['INV-0002', 'INV-0004']);
    expect(await found('paymentStatus=30')).to.deep.equal(['INV-0001']);
    expect(await found('fulfillmentStatus=fulfilled')).to.deep.equal(['INV-0001']);
    expect(await found('status=Pending&search=MARSH')).to.deep.equal(['INV-0002']);
    expect(await found('sortBy=invoiceNumber&sortDir=asc')).to.deep.equal([
      'INV-0001',
      'INV-0002',
      'INV-0004',
    ]);
    expect((await shop.manage('/orders?paymentStatus=Maybe')).status).to.equal(400);
  });

  it('clamps pages that cannot be', async () => {
    const { body } = await shop.manage('/orders?page=0&pageSize=5000');
    expect(body).to.deep.include({ page: 1, pageSize: 200 });
  });

  it('/{id} shows everything of an invoice', async () => {
    const { status, body } = await shop.manage(`/orders/${paid.id}`);
    expect(status).to.equal(200);
    expect(body).to.deep.include({
      id: paid.id,
      customerEmail: 'ada@example.com',
      subTotal: 20,
      discountTotal: 2,
      shippingCost: 4,
      tax: 4.4,
      discountTotalInStoreCurrency: 2,
      amountPaid: 26.4,
      balanceDue: 0,
      balanceStatus: 'Balanced',
      customerOrderCount: 2,
      canFulfill: false,
      notes: [],
    });
    expect(body.billingAddress).to.deep.include({
      firstName: 'Ada',
      lastName: 'Lovelace',
      countryCode: 'GB',
    });
    const [order] = body.orders as { readonly status: string; readonly lineItems: unknown[] }[];
    expect(order?.status).to.equal('Completed');
    expect(order?.lineItems[0]).to.deep.include({ sku: 'mug', quantity: 2, unitPrice: 10, lineTotal: 20 });
    expect(body.discounts).to.deep.include.members([
      {
        id: idNamed('taken'),
        discountId: idNamed('TEN'),
        name: '10 % off',
        code: 'TEN',
        category: 'AmountOffOrder',
        amount: 2,
      },
    ]);
  });

  it('/{id} knows nothing of an order that is not there', async () => {
    expect((await shop.manage(`/orders/${newId()}`)).status).to.equal(404);
    expect((await shop.manage('/orders/none')).status).to.equal(404);
  });

  it('/stats tells of today and of what is still to be paid', async () => {
    const { body } = await shop.manage('/orders/stats');
    expect(body).to.deep.equal({
      ordersToday: 1,
      itemsOrderedToday: 2,
      ordersFulfilledToday: 1,
      totalOutstandingValue: 26.4,
      outstandingInvoiceCount: 1,
      overdueInvoiceCount: 0,
      currencyCode: 'GBP',
      orders: 1,
      items: 2,
      fulfilled: 1,
      outstanding: 1,
    });
  });
});
