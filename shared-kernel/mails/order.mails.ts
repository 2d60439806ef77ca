import { sampleOrder } from '#topics/samples.ts';
import { mailTopic, type MailFacts, type MailMessage } from './mail-topic.ts';
import { orderNotification, type MailedUpsell, type OrderNotification } from './order-notification.ts';
import { sampleOrderNotification } from './order-sample.ts';

export interface SaleNotification extends OrderNotification {
  /** What upsell rules suggest beside it in mails. */
  readonly upsells: readonly MailedUpsell[];
}

interface StatusNotification extends OrderNotification {
  readonly orderId: string;
  readonly previousStatus: string;
  readonly newStatus: string;
  readonly reason: string | null;
}

interface CancelledNotification extends OrderNotification {
  readonly reason: string | null;
}

export const sampleSale: SaleNotification = {
  ...sampleOrderNotification,
  upsells: [
    {
      heading: 'Goes well with it',
      products: [
        { name: 'Teapot', formattedPrice: '£24.00', url: 'https://shop.example.com/products/teapot' },
      ],
    },
  ],
};

/** What an event of an invoice says beside everything that is known of the invoice. */
export const aboutInvoice = <Beside extends object>(
  { invoice, timeZone }: MailFacts,
  beside: Beside,
  entity: { readonly entityType: string; readonly entityId: string } | null = null,
): MailMessage<OrderNotification & Beside> | null =>
  invoice && {
    ...(entity ?? { entityType: 'Invoice', entityId: invoice.id }),
    notification: { ...orderNotification(invoice, timeZone), ...beside },
  };

/** What a sale says beside its figures. */
export const suggested = ({ invoice, upsells }: MailFacts): Pick<SaleNotification, 'upsells'> => ({
  upsells: invoice && upsells ? upsells(invoice) : [],
});

const order = (entityId: string) => ({ entityType: 'Order', entityId });

export const orderMails = {
  'order.created': mailTopic<SaleNotification>({
    displayName: 'Order Created',
    description: 'A sale is confirmed: one mail, however many orders it has.',
    sample: sampleSale,
    on: {
      SaleConfirmed: ({ data: { content } }, facts) =>
        aboutInvoice(facts, suggested(facts), order(content.orders[0]?.orderId ?? '')),
    },
  }),
  'order.status_changed': mailTopic<StatusNotification>({
    displayName: 'Order Status Changed',
    description: 'An order moves from one status to another.',
    sample: {
      ...sampleOrderNotification,
      orderId: sampleOrder.id,
      previousStatus: 'ReadyToFulfill',
      newStatus: 'Processing',
      reason: 'All goods are in stock',
    },
    on: {
      OrderStatusChanged: ({ data: { orderId, from, to, reason = null } }, facts) =>
        aboutInvoice(facts, { orderId, previousStatus: from, newStatus: to, reason }, order(orderId)),
    },
  }),
  'order.cancelled': mailTopic<CancelledNotification>({
    displayName: 'Order Cancelled',
    description: 'An invoice is cancelled with all its orders.',
    sample: { ...sampleOrderNotification, reason: 'The customer changed their mind' },
    on: {
      // What expired was never sold.
      InvoiceCancelled: ({ data: { cancelledBy, reason } }, facts) =>
        cancelledBy === undefined ? null : aboutInvoice(facts, { reason }),
    },
  }),
};
