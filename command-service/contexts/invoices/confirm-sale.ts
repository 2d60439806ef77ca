import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import type { OrderStatus } from '#events/invoice.fields.ts';
import { defined } from '#kernel/defined.ts';
import { isoInstant } from '#kernel/clock.ts';
import { Rejection } from '#kernel/rejection.ts';
import { convertedBy } from './conversions.state.ts';
import type { ConfirmSale } from './invoice.commands.ts';
import type { Moment } from './invoice.context.ts';
import { isAuthorized, isPaidInFull, type KnownInvoice } from './invoice.state.ts';
import type { OfferedAfterwards } from './post-purchase/post-purchase.commands.ts';
import { moveOrders } from './order-desk/order-moves.state.ts';
import { owedOnceConfirmed } from './payments/owed.state.ts';
import { isOnAccount } from './payments/purchase-orders.state.ts';

const { PostPurchaseOpened, SaleConfirmed } = invoiceEvents.create;

type Move = (orderId: string, from: OrderStatus) => OrderStatus;

const isDigitalOnly = (invoice: KnownInvoice, orderId: string): boolean =>
  invoice.content.orders.find((order) => order.orderId === orderId)?.lines.every((line) => line.isDigital) ??
  false;

/** Where an order goes once it may be sent: a digital order needs no shipment, so it is complete once paid. */
export const onceReleased = (invoice: KnownInvoice, orderId: string): OrderStatus =>
  isPaidInFull(invoice) && isDigitalOnly(invoice, orderId) ? 'Completed' : 'ReadyToFulfill';

/** Releases orders of a sale that was announced before it was paid. */
const releasePaid = (invoice: KnownInvoice, day: string): InvoiceEvent[] =>
  moveOrders(
    invoice,
    (orderId, from) =>
      from === 'Pending' || from === 'ReadyToFulfill' ? onceReleased(invoice, orderId) : from,
    { day },
  );

/** Orders held until the offer ends: those that could be sent now. */
const ordersToHold = ({ orderStatuses }: KnownInvoice, to: Move): Record<string, OrderStatus> =>
  Object.fromEntries(
    Object.entries(orderStatuses)
      .map(([orderId, from]): [string, OrderStatus] => [orderId, to(orderId, from)])
      .filter(([, status]) => status === 'ReadyToFulfill'),
  );

/** Offers nothing for goods that are not shipped (docs/rules/post-purchase.md#window). */
const offered = (
  { invoiceNumber, content }: KnownInvoice,
  { provider, methodId, offers, minutes }: OfferedAfterwards,
  heldOrders: Record<string, OrderStatus>,
  now: string,
): InvoiceEvent[] =>
  Object.keys(heldOrders).length === 0
    ? []
    : [
        PostPurchaseOpened({
          ...{ invoiceNumber, businessDay: content.businessDay, provider, methodId, heldOrders },
          offers: [...offers],
          openedAt: now,
          endsAt: isoInstant(Date.parse(now) + minutes * 60_000),
        }),
      ];

export const announcedSale = (
  invoice: KnownInvoice,
  { mayBeSent, offer }: Pick<ConfirmSale, 'offer'> & { readonly mayBeSent: boolean },
  { now, today }: Moment,
): InvoiceEvent[] => {
  const { invoiceNumber, content, balance, email, customerName, returns, billingCountryCode } = invoice;
  const sentTo: Move = (orderId, from) =>
    from === 'Pending' && mayBeSent ? onceReleased(invoice, orderId) : from;
  const heldOrders = offer ? ordersToHold(invoice, sentTo) : {};
  const to: Move = (orderId, from) => (heldOrders[orderId] ? 'OnHold' : sentTo(orderId, from));
  const orderStatuses = Object.fromEntries(
    Object.entries(invoice.orderStatuses).map(([orderId, from]) => [orderId, to(orderId, from)]),
  );
  return [
    ...moveOrders(invoice, to, { day: today }),
    SaleConfirmed({
      invoiceNumber,
      content,
      balance,
      email,
      customerName,
      orderStatuses,
      ...defined({
        countryCode: billingCountryCode ?? undefined,
        returns: returns > 0 ? returns : undefined,
      }),
      ...owedOnceConfirmed(invoice),
      confirmedAt: now,
    }),
    ...convertedBy(
      invoice,
      invoice.shownUpsells,
      content.orders.flatMap(({ lines }) => lines),
      { now, today },
    ),
    ...(offer ? offered(invoice, offer, heldOrders, now) : []),
  ];
};

/** Announces a sale once. If it was announced unpaid, payment later releases its orders. */
export const confirmSale = (
  invoice: KnownInvoice,
  { offer }: ConfirmSale,
  context: Moment,
): InvoiceEvent[] => {
  const isPaid = isPaidInFull(invoice);
  if (invoice.isConfirmed) return isPaid && isOnAccount(invoice) ? releasePaid(invoice, context.today) : [];
  if (!isPaid && invoice.purchaseOrder === null && !isAuthorized(invoice)) {
    throw new Rejection(
      'invoice-unpaid',
      'A sale is confirmed once its invoice is paid, its money authorised, or it is sold on account.',
    );
  }
  return announcedSale(
    invoice,
    { mayBeSent: true, ...defined({ offer: isPaid ? offer : undefined }) },
    context,
  );
};
