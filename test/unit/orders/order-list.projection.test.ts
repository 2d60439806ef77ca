import { expect } from 'chai';
import { orderListProjection } from '#projection/contexts/orders/order-list.projection.ts';
import { deliveryStatusOf } from '#projection/contexts/orders/order-delivery.ts';
import type { OrderDocument } from '#projection/contexts/orders/order.document.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import { invoiceBalance } from '#values/invoice-balance.ts';
import type { ShipmentStatus } from '#values/shipment-transitions.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { invoice, mugOrder } from '#test/support/builders/invoice.ts';
import { givenEvents, inStream } from '#test/support/given.ts';

const { InvoiceSuperseded, InvoiceVoided, PaymentRiskAssessed } = invoiceEvents.create;

describe('the order list', () => {
  it('lists an invoice as soon as it is placed, unpaid', () => {
    const { id, stream, placed } = invoice('first');
    const { document } = givenEvents(...inStream(stream, placed)).project(orderListProjection, id);
    expect(document).to.deep.include({
      _id: id,
      invoiceNumber: 'INV-0001',
      customerName: 'Ada Lovelace',
      cancellationStatus: 'active',
      fulfillmentStatus: 'Unfulfilled',
      statuses: ['Pending'],
      confirmedAt: null,
      outstandingInStoreCurrency: 0,
      searchText: 'inv-0001 ada lovelace ada@example.com',
    });
    expect((document as OrderDocument).balance.paymentStatus).to.equal('Unpaid');
  });

  it('shows a paid order with its payment, ready to be fulfilled', () => {
    const { id, sold } = invoice('first');
    const { document } = givenEvents(...sold()).project(orderListProjection, id);
    const { balance, payments, confirmedAt, statuses, outstandingInStoreCurrency } =
      document as OrderDocument;
    expect(balance).to.deep.include({ paymentStatus: 'Paid', amountPaid: 2640, balanceDue: 0 });
    expect(payments.map(({ amount }) => amount)).to.deep.equal([2640]);
    expect(confirmedAt).to.equal('2026-03-01T09:05:00.000Z');
    expect(statuses).to.deep.equal(['ReadyToFulfill']);
    expect(outstandingInStoreCurrency).to.equal(0);
  });

  it('keeps what a sale on account still has to bring in, until it is paid', () => {
    const { id, stream, placed, confirmed, captured } = invoice('on account');
    const onAccount = inStream(stream, placed, confirmed(null, invoiceBalance(2640, 0, 0)));
    givenEvents(...onAccount)
      .project(orderListProjection, id)
      .then({ outstandingInStoreCurrency: 2640 });
    givenEvents(...onAccount, ...inStream(stream, captured(640)))
      .project(orderListProjection, id)
      .then({ outstandingInStoreCurrency: 2000 });
    givenEvents(...onAccount, ...inStream(stream, captured()))
      .project(orderListProjection, id)
      .then({ outstandingInStoreCurrency: 0 });
    // In a coarser currency the payments, each rounded, may come to more than the total while a little is due.
    const most = captured(2639);
    const rounded = { ...most, data: { ...most.data, amountInStoreCurrency: 2641 } };
    givenEvents(...onAccount, ...inStream(stream, rounded))
      .project(orderListProjection, id)
      .then({ receivable: 'open', outstandingInStoreCurrency: 0 });
  });

  it('is as risky as its riskiest payment, by what its provider said last of each', () => {
    const { id, stream, placed, captured } = invoice('risky');
    const pays = (name: string, score: number) => {
      const payment = captured(640);
      return {
        ...payment,
        data: { ...payment.data, paymentId: idNamed(name), risk: { score, source: 'a' } },
      };
    };
    const again = PaymentRiskAssessed({
      ...{ paymentId: idNamed('two'), provider: 'sandbox', transactionId: 'tx' },
      ...{ risk: { score: 10, source: 'b' }, assessedAt: '2026-03-01T09:05:00.000Z' },
    });
    const both = inStream(stream, placed, pays('one', 20), pays('two', 60));
    givenEvents(...both)
      .project(orderListProjection, id)
      .then({ risk: { score: 60, source: 'a' } });
    givenEvents(...both, ...inStream(stream, again))
      .project(orderListProjection, id)
      .then({ risk: { score: 20, source: 'a' } });
  });

  it('counts a superseded invoice as cancelled, with its orders', () => {
    const { id, stream, placed, moved, invoiceName } = invoice('old');
    const superseded = InvoiceSuperseded({ ...invoiceName, supersededBy: idNamed('newer') });
    givenEvents(...inStream(stream, placed, superseded, moved('Cancelled')))
      .project(orderListProjection, id)
      .then({ cancellationStatus: 'cancelled', statuses: ['Cancelled'], fulfillmentStatus: 'Unfulfilled' });
  });

  it('lists a number without an invoice as cancelled', () => {
    const { id, stream, invoiceName } = invoice('void');
    const voided = InvoiceVoided({ ...invoiceName, placementId: idNamed('placement'), reason: 'sold out' });
    givenEvents(...inStream(stream, voided))
      .project(orderListProjection, id)
      .then({
        invoiceNumber: 'INV-0001',
        cancellationStatus: 'cancelled',
        content: null,
        totalInStoreCurrency: 0,
      });
  });

  it('is partly fulfilled while one of two parcels has left, and fulfilled with the second', () => {
    const orders = [mugOrder('one'), mugOrder('two')];
    const { id, stream, placed, moved } = invoice('parcels', { content: { orders } });
    const half = inStream(stream, placed, moved('Shipped', 'one'), moved('Processing', 'two'));
    givenEvents(...half)
      .project(orderListProjection, id)
      .then({ fulfillmentStatus: 'Partial' });
    givenEvents(...half, ...inStream(stream, moved('Completed', 'two')))
      .project(orderListProjection, id)
      .then({ fulfillmentStatus: 'Fulfilled' });
  });

  it('keeps an order whose customer has been forgotten', () => {
    const { id, stream, placed } = invoice('forgotten', { customer: null, email: null });
    givenEvents(...inStream(stream, placed))
      .project(orderListProjection, id)
      .then({ customerName: null, email: null, billingAddress: null, searchText: 'inv-0001' });
  });

  it('says how far the goods have come, of orders that stand', () => {
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
