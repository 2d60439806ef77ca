import type { InvoiceEvent } from '#events/invoice.events.ts';
import { decideBy, type Decider } from '#kernel/decider.ts';
import { evolve } from '#kernel/evolution.ts';
import { missingLinks } from './downloads/due-links.state.ts';
import { downloadsRules } from './downloads/downloads.decider.ts';
import { fulfilmentRules } from './fulfilment/order-fulfilment.decider.ts';
import { shipmentRules } from './fulfilment/shipment.decider.ts';
import type { InvoiceCommand } from './invoice.commands.ts';
import type { InvoiceContext } from './invoice.context.ts';
import { initialInvoice, invoiceSubject, onInvoiceEvents, type InvoiceState } from './invoice.state.ts';
import { orderDeskRules } from './order-desk/order-desk.decider.ts';
import { authorizationRules } from './payments/authorization.decider.ts';
import { disputeRules } from './payments/dispute.decider.ts';
import { paymentRules } from './payments/payment.decider.ts';
import { providerPaymentRules } from './payments/provider-payment.decider.ts';
import { purchaseOrderRules } from './payments/purchase-order.decider.ts';
import { postPurchaseRules } from './post-purchase/post-purchase.decider.ts';
import { refundRules } from './refunds/refund.decider.ts';
import { saleRules } from './sale.decider.ts';

type InvoiceDecider = Decider<InvoiceState, InvoiceCommand, InvoiceEvent, InvoiceContext>;

const decideByTopic: InvoiceDecider['decide'] = decideBy({
  ...saleRules,
  ...paymentRules,
  ...authorizationRules,
  ...providerPaymentRules,
  ...purchaseOrderRules,
  ...disputeRules,
  ...refundRules,
  ...shipmentRules,
  ...fulfilmentRules,
  ...orderDeskRules,
  ...postPurchaseRules,
  ...downloadsRules,
});

/** Events after which an invoice may be paid, or have new downloads. */
const mayPay: ReadonlySet<string> = new Set(['PaymentCaptured', 'InvoiceEdited', 'SaleConfirmed']);

/** All rules of an invoice's stream: sale, orders, money (docs/architecture.md#a-command). */
export const invoiceDecider: InvoiceDecider = {
  category: 'invoice',
  initial: initialInvoice,
  decide: (state, command, context) => {
    const events = decideByTopic(state, command, context);
    if (!events.some(({ type }) => mayPay.has(type))) return events;
    // Links of what is now paid join the same append, so that no crash separates a payment from its files.
    const after = events.reduce((before, event) => evolve(onInvoiceEvents, before, event), state);
    return [...events, ...missingLinks(after, context)];
  },
  on: onInvoiceEvents,
  remembersCommands: true,
  subject: invoiceSubject,
};
