import { expect } from 'chai';
import { orderListProjection } from '#projection/contexts/orders/order-list.projection.ts';
import { deliveryStatusOf } from '#projection/contexts/orders/order-fold.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { invoiceBalance } from '#values/invoice-balance.ts';
import type { ShipmentStatus } from '#values/shipment-transitions.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { invoice, mugOrder } from '#test/support/builders/invoice.ts';
import { givenStream } from '#test/support/given.ts';

const { BillingAddressChanged, InvoiceSuperseded, InvoiceVoided, PaymentRiskAssessed } = invoiceEvents.create;

type Invoice = ReturnType<typeof invoice>;
const listed = ({ stream }: Pick<Invoice, 'stream'>, ...events: readonly DomainEvent[]) =>
  givenStream(stream, ...events).project(orderListProjection);

describe('the order list', () => {
  it('lists an invoice as soon as it is placed, unpaid', () => {
    const first = invoice('first');
    const { then, document } = listed(first, first.placed);
    then({
      _id: first.id,
      invoiceNumber: 'INV-0001',
      customerName: 'Ada Lovelace',
      cancellationStatus: 'active',
      fulfillmentStatus: 'Unfulfilled',
      statuses: ['Pending'],
      confirmedAt: null,
      outstandingInStoreCurrency: 0,
      searchText: 'inv-0001 ada lovelace ada@example.com',
    });
    expect(document?.balance.paymentStatus).to.equal('Unpaid');
  });

  it('shows a paid order with its payment, ready to be fulfilled', () => {
    const first = invoice('first');
    const { then, document } = listed(first, ...first.sold());
    then({
      confirmedAt: '2026-03-01T09:05:00.000Z',
      statuses: ['ReadyToFulfill'],
      outstandingInStoreCurrency: 0,
    });
    expect(document?.balance).to.deep.include({ paymentStatus: 'Paid', amountPaid: 2640, balanceDue: 0 });
    expect(document?.payments.map(({ amount }) => amount)).to.deep.equal([2640]);
  });

  it('keeps the outstanding amount of a sale on account until it is paid', () => {
    const sale = invoice('on account');
    const onAccount = [sale.placed, sale.confirmed(invoiceBalance(2640, 0, 0))];
    listed(sale, ...onAccount).then({ outstandingInStoreCurrency: 2640 });
    listed(sale, ...onAccount, sale.captured(640)).then({ outstandingInStoreCurrency: 2000 });
    listed(sale, ...onAccount, sale.captured()).then({ outstandingInStoreCurrency: 0 });
    // In a coarser currency the payments, each rounded, may come to more than the total while a little is due.
    const most = sale.captured(2639);
    const rounded = { ...most, data: { ...most.data, amountInStoreCurrency: 2641 } };
    listed(sale, ...onAccount, rounded).then({ receivable: 'open', outstandingInStoreCurrency: 0 });
  });

  it('is as risky as its riskiest payment, by what its provider said last of each', () => {
    const risky = invoice('risky');
    const pays = (name: string, score: number) => {
      const { type, data } = risky.captured(640);
      return { type, data: { ...data, paymentId: idNamed(name), risk: { score, source: 'a' } } };
    };
    const again = PaymentRiskAssessed({
      ...{ paymentId: idNamed('two'), provider: 'sandbox', transactionId: 'tx' },
      ...{ risk: { score: 10, source: 'b' }, assessedAt: '2026-03-01T09:05:00.000Z' },
    });
    const both = [risky.placed, pays('one', 20), pays('two', 60)];
    listed(risky, ...both).then({ risk: { score: 60, source: 'a' } });
    listed(risky, ...both, again).then({ risk: { score: 20, source: 'a' } });
  });

  it('counts a superseded invoice as cancelled, with its orders', () => {
    const old = invoice('old');
    const superseded = InvoiceSuperseded({ ...old.invoiceName, supersededBy: idNamed('newer') });
    listed(old, old.placed, superseded, old.moved('Cancelled')).then({
      cancellationStatus: 'cancelled',
      statuses: ['Cancelled'],
      fulfillmentStatus: 'Unfulfilled',
    });
  });

  it('lists a number without an invoice as cancelled', () => {
    const { invoiceName, stream } = invoice('void');
    const voided = InvoiceVoided({ ...invoiceName, placementId: idNamed('placement'), reason: 'sold out' });
    listed({ stream }, voided).then({
      invoiceNumber: 'INV-0001',
      cancellationStatus: 'cancelled',
      content: null,
      totalInStoreCurrency: 0,
    });
  });

  it('is partly fulfilled while one of two parcels has left, and fulfilled with the second', () => {
    const orders = [mugOrder('one'), mugOrder('two')];
    const parcels = invoice('parcels', { content: { orders } });
    const { placed, moved } = parcels;
    const half = [placed, moved('Shipped', 'one'), moved('Processing', 'two')];
    listed(parcels, ...half).then({ fulfillmentStatus: 'Partial' });
    listed(parcels, ...half, moved('Completed', 'two')).then({ fulfillmentStatus: 'Fulfilled' });
  });

  it('keeps an order whose customer has been forgotten', () => {
    const forgotten = invoice('forgotten', { customer: null, email: null });
    listed(forgotten, forgotten.placed).then({
      customerName: null,
      email: null,
      billingAddress: null,
      searchText: 'inv-0001',
    });
  });

  it('is found by the name and the e-mail address that its address was corrected to', () => {
    const sale = invoice('corrected');
    const address = sale.placed.data.billingAddress;
    const corrected = BillingAddressChanged({
      ...sale.invoiceName,
      address: address && { ...address, name: 'Ada King', email: 'ada.king@example.com' },
      ...{ by: 'mary', changedAt: '2026-03-02T09:00:00.000Z' },
    });
    listed(sale, ...sale.sold(), corrected, sale.moved('Shipped')).then({
      customerName: 'Ada King',
      customerKey: 'ada king',
      searchText: 'inv-0001 ada king ada.king@example.com',
      statuses: ['Shipped'],
    });
  });

  it('shows how far the goods of open orders have come', () => {
    const [east, west] = [mugOrder('east'), mugOrder('west')];
    const shipment = (order: string, status: ShipmentStatus, quantity = 2) => ({
      orderId: idNamed(order),
      lines: [{ lineId: idNamed(`line ${order}`), quantity }],
      status,
    });
    const ofBoth = (...shipments: readonly ReturnType<typeof shipment>[]) =>
      deliveryStatusOf([east, west], {}, shipments);
    expect(ofBoth()).to.equal('NotShipped');
    expect(ofBoth(shipment('east', 'Cancelled'))).to.equal('NotShipped');
    expect(ofBoth(shipment('east', 'Preparing'))).to.equal('Preparing');
    expect(ofBoth(shipment('east', 'Delivered'))).to.equal('PartiallyShipped');
    expect(ofBoth(shipment('east', 'Delivered'), shipment('west', 'Shipped'))).to.equal('Shipped');
    expect(ofBoth(shipment('east', 'Delivered'), shipment('west', 'Delivered'))).to.equal('Delivered');
    const westCancelled = { [idNamed('west')]: 'Cancelled' } as const;
    expect(deliveryStatusOf([east, west], westCancelled, [shipment('east', 'Shipped')])).to.equal('Shipped');
    const digital = { ...east, lines: east.lines.map((line) => ({ ...line, isDigital: true })) };
    expect(deliveryStatusOf([digital], {}, [])).to.equal(null);
  });
});
