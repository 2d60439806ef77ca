import { expect } from 'chai';
import type { AgentOrderDocument } from '#agent-orders/agent-order.document.ts';
import { orderAfter } from '#agent-orders/fold-order.ts';
import { noticeBody } from '#dispatcher/contexts/agent-notices/notice-body.ts';
import { noticeOf } from '#dispatcher/contexts/agent-notices/order-notices.ts';
import { agentOrderEvents } from '#events/agent-order.events.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { agentOrder, parcel } from '#test/support/builders/agent-order.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { addressOf, mugOrder } from '#test/support/builders/invoice.ts';
import { inStream, recordedEvents, type GivenEvent } from '#test/support/given.ts';
import { invoiceBalance } from '#values/invoice-balance.ts';

const { AgentOrderAmended } = agentOrderEvents.create;
const {
  DisputeOpened,
  InvoiceCancelled,
  InvoiceDeleted,
  InvoiceForgotten,
  OrderStatusChanged,
  PaymentRefunded,
  RefundAttempted,
  RefundDeclined,
  RefundFailed,
  RefundPending,
  ShipmentDeleted,
  ShippingAddressChanged,
} = invoiceEvents.create;

const order = agentOrder();
const twoOrders = agentOrder({ orders: [mugOrder('order'), mugOrder('other')] });

const toldOf = (events: readonly GivenEvent[]): readonly string[] => {
  let document: AgentOrderDocument | null = null;
  return recordedEvents(events).flatMap((event) => {
    document = orderAfter(document, event, order.id);
    return (document && noticeOf(event, document)) ?? [];
  });
};

/** After it was placed and sold. */
const toldAfter = (...events: readonly DomainEvent[]): readonly string[] =>
  toldOf([...order.sold(), ...inStream(order.stream, ...events)]).slice(1);

const refund = {
  refundId: idNamed('refund'),
  paymentId: idNamed('payment'),
  provider: 'sandbox',
  amount: 500,
  currency: 'GBP',
  by: 'mary',
};
const attempted = RefundAttempted({
  ...{ ...refund, reason: 'chipped', askId: idNamed('ask') },
  attemptedAt: '2026-03-03T09:00:00.000Z',
});
const refunded = PaymentRefunded({
  ...{ ...order.invoiceName, ...refund },
  paymentType: 'PartialRefund',
  amountInStoreCurrency: 500,
  transactionId: 'r1',
  reason: 'chipped',
  givenBack: 500,
  givenBackInStoreCurrency: 500,
  balance: invoiceBalance(2640, 2640, 500),
  refundedAt: '2026-03-03T09:00:01.000Z',
  openRefunds: 0,
});
const declined = {
  ...{ ...refund, code: 'declined', message: 'No.' },
  declinedAt: '2026-03-03T09:00:01.000Z',
  openRefunds: 0,
};
const pending = RefundPending({
  ...{ refundId: refund.refundId, provider: 'sandbox', transactionId: 'r1' },
  pendingSince: '2026-03-03T09:00:01.000Z',
  openRefunds: 0,
});
const failed = RefundFailed({
  ...{ ...order.invoiceName, ...refund },
  ...{ transactionId: 'r1', message: 'Account closed', amountInStoreCurrency: 500 },
  givenBackInStoreCurrency: 500,
  balance: invoiceBalance(2640, 2640, 0),
  failedAt: '2026-03-05T09:00:00.000Z',
});

const cancelled = (orderId: string, how: { isAlone?: true; isSilent?: true } = {}) =>
  OrderStatusChanged({
    ...order.invoiceName,
    orderId: idNamed(orderId),
    from: 'ReadyToFulfill',
    to: 'Cancelled',
    changedDay: '2026-03-02',
    ...how,
  });
const invoiceCancelled = InvoiceCancelled({
  ...order.invoiceName,
  reason: 'called off',
  cancelledAt: '2026-03-02T09:00:00.000Z',
  balance: invoiceBalance(2640, 2640, 0),
});

// docs/rules/agent-notices.md
describe('What agents are told of their orders', () => {
  it('begins once the sale is confirmed, and never tells of one that is given up before', () => {
    const [placed, ...paid] = order.sold();
    const givenUp = inStream(order.stream, invoiceCancelled, cancelled('order', { isSilent: true }));
    if (!placed) throw new Error('an invoice begins with its placement');
    expect(toldOf([placed])).to.deep.equal([]);
    expect(toldOf([placed, ...givenUp])).to.deep.equal([]);
    expect(toldOf([placed, ...paid])).to.deep.equal(['order_placed']);
  });

  it('names each parcel that leaves and each that arrives; a status that follows them says nothing more', () => {
    const [first, second] = [parcel('first', 1), parcel('second', 1)];
    const told = toldAfter(
      ...[first.packed, first.sent, order.moved('PartiallyShipped', 'order', 'ReadyToFulfill')],
      ...[second.packed, second.sent, order.moved('Shipped', 'order', 'PartiallyShipped')],
      ...[first.delivered, second.delivered, order.moved('Completed', 'order', 'Shipped')],
    );
    expect(told).to.deep.equal([
      ...['order_updated', 'order_shipped', 'order_updated', 'order_shipped'],
      ...['order_delivered', 'order_delivered'],
    ]);
  });

  it('names a completed order of files, which has no parcels', () => {
    const { lines, ...rest } = mugOrder('order');
    const files = agentOrder({
      orders: [{ ...rest, lines: lines.map((line) => ({ ...line, isDigital: true })) }],
    });
    const events = [
      ...files.sold(),
      ...inStream(files.stream, files.moved('Completed', 'order', 'ReadyToFulfill')),
    ];
    expect(toldOf(events)).to.deep.equal(['order_placed', 'order_updated']);
  });

  it('calls everything without a name of its own an update', () => {
    const { packed, renumbered, calledOff, sent } = parcel('first', 1);
    const shipmentId = idNamed('first');
    const deleted = ShipmentDeleted({
      ...{ shipmentId, orderId: idNamed('order'), wasCancelled: true, by: 'mary' },
      deletedAt: '2026-03-02T15:00:00.000Z',
    });
    const elsewhere = ShippingAddressChanged({
      ...{ ...order.invoiceName, address: addressOf('Ada King'), by: 'mary' },
      changedAt: '2026-03-02T08:00:00.000Z',
    });
    const disputed = DisputeOpened({
      ...order.invoiceName,
      ...{ disputeId: 'd1', paymentId: idNamed('payment'), provider: 'sandbox', transactionId: 't1' },
      ...{ amount: 2640, currency: 'GBP', reason: null, heldOrderIds: [] },
      openedAt: '2026-03-04T09:00:00.000Z',
    });
    const amended = AgentOrderAmended({ events: [], adjustments: [], amendedAt: '2026-03-04T10:00:00.000Z' });
    const all = [
      elsewhere,
      order.moved('OnHold'),
      packed,
      sent,
      renumbered,
      calledOff,
      deleted,
      disputed,
      amended,
    ];
    const told = toldAfter(...all);
    expect(told.filter((name) => name !== 'order_shipped')).to.deep.equal(Array(8).fill('order_updated'));
  });

  it('tells of money once it is on its way back, and of what becomes of it', () => {
    expect(toldAfter(attempted, refunded)).to.deep.equal(['order_refunded']);
    expect(toldAfter(attempted, RefundDeclined(declined))).to.deep.equal([]);
    const wasPending = { invoiceNumber: 'INV-0001' };
    expect(toldAfter(attempted, pending, RefundDeclined({ ...declined, wasPending }))).to.deep.equal([
      ...['order_updated', 'order_updated'],
    ]);
    expect(toldAfter(attempted, refunded, failed)).to.deep.equal(['order_refunded', 'order_updated']);
  });

  it('tells once that all of it is cancelled', () => {
    const after = (...events: readonly DomainEvent[]) =>
      toldOf([...twoOrders.sold(), ...inStream(twoOrders.stream, ...events)]).slice(1);
    expect(after(invoiceCancelled, cancelled('order'), cancelled('other'))).to.deep.equal(['order_canceled']);
    expect(after(cancelled('order', { isAlone: true }))).to.deep.equal(['order_updated']);
  });

  it('says nothing of an order that is deleted, nor of a buyer who is forgotten', () => {
    const deleted = InvoiceDeleted({
      ...{ ...order.invoiceName, deletedBy: 'mary', deletedAt: '2026-03-09T09:00:00.000Z' },
      balance: invoiceBalance(2640, 2640, 0),
      ...{ orderIds: [], paymentIds: [], wasCancelled: false, completedDays: [] },
    });
    const forgotten = InvoiceForgotten({
      ...order.invoiceName,
      paymentIds: [],
      at: '2026-03-09T08:00:00.000Z',
    });
    expect(toldAfter(forgotten, deleted, parcel('first', 1).packed)).to.deep.equal([]);
  });

  it('is the order as the agent would read it, in the older version with the event beside it', () => {
    const notice = {
      _id: idNamed('event'),
      eventType: 'order_placed',
      occurredAt: '2026-03-01T09:05:00.000Z',
    } as const;
    expect(JSON.parse(noticeBody(notice, '2026-04-08', { id: 'o', checkout_id: 'c' }))).to.deep.equal({
      ...{ id: 'o', checkout_id: 'c' },
    });
    expect(JSON.parse(noticeBody(notice, '2026-01-11', { id: 'o', checkout_id: 'c' }))).to.deep.equal({
      ...{ id: 'o', checkout_id: 'c' },
      event_id: idNamed('event'),
      created_time: '2026-03-01T09:05:00.000Z',
      event_type: 'order_placed',
      order: { id: 'o', checkout_id: 'c' },
    });
  });
});
