import type { ShopStream } from '#command/engine/streams.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { InvoiceState } from '../invoice.state.ts';
import type { PaymentContext } from './invoice-money.state.ts';
import { paymentContext } from './payment.stream.ts';
import type { PurchaseOrderCommand } from './purchase-order.commands.ts';
import { purchaseOrderDecider } from './purchase-order.decider.ts';

/** Invoices, as they are sold on account. */
export const purchaseOrderStream: ShopStream<
  InvoiceState,
  PurchaseOrderCommand,
  InvoiceEvent,
  PaymentContext
> = {
  decider: purchaseOrderDecider,
  context: ({ clock, settings }, _command, invoiceId) => paymentContext({ clock, settings }, invoiceId),
};
