import type { AbandonedCheckoutsApi } from './contexts/abandoned-checkouts/abandoned-checkout.commands.ts';
import type { CatalogueApi } from './contexts/catalogue/product.commands.ts';
import type { CheckoutApi } from './contexts/checkout/checkout.commands.ts';
import type { CustomersApi } from './contexts/customers/customer.commands.ts';
import type { DownloadsApi } from './contexts/invoices/downloads/downloads.commands.ts';
import type { InventoryApi } from './contexts/inventory/stock.commands.ts';
import type { AgentLinksApi } from './contexts/identity-linking/agent-link.commands.ts';
import type { MailsApi } from './contexts/mails/mail.commands.ts';
import type { MembersApi } from './contexts/members/member.commands.ts';
import type { SavedMethodsApi } from './contexts/payment-methods/saved-method.commands.ts';
import type { AgentPaymentsApi } from './contexts/payments/agents/agent-payments.commands.ts';
import type { PaymentsApi } from './contexts/invoices/payments/payment.commands.ts';
import type { ShippingApi } from './contexts/shipping/shipping.commands.ts';
import type { OrdersApi } from './contexts/invoices/invoice.commands.ts';
import type { OrderShipmentsApi } from './contexts/invoices/fulfilment/shipment.commands.ts';
import type { OrderAdditionsApi } from './contexts/invoices/post-purchase/post-purchase.commands.ts';
import type { TaxesApi } from './contexts/tax/tax.commands.ts';
import type { UpsellsApi } from './contexts/upsells/upsell.commands.ts';
import type { UpsellImpressionsApi } from './contexts/upsells/upsell-performance/upsell-events.commands.ts';
import type { PostPurchaseApi } from './contexts/upsells/post-purchase/post-purchase.commands.ts';

/**
 * What one context does for another where a command to its stream is not enough; each declares it beside its commands,
 * and its module offers it. Ask while serving: nobody is there yet while the modules are being created.
 */
export interface ContextApis {
  readonly abandonedCheckouts: AbandonedCheckoutsApi;
  readonly agentLinks: AgentLinksApi;
  readonly catalogue: CatalogueApi;
  readonly checkout: CheckoutApi;
  readonly customers: CustomersApi;
  readonly downloads: DownloadsApi;
  readonly inventory: InventoryApi;
  readonly mails: MailsApi;
  readonly members: MembersApi;
  readonly orders: OrdersApi & OrderShipmentsApi & OrderAdditionsApi;
  readonly payments: PaymentsApi & AgentPaymentsApi;
  readonly postPurchase: PostPurchaseApi;
  readonly savedMethods: SavedMethodsApi;
  readonly shipping: ShippingApi;
  readonly taxes: TaxesApi;
  readonly upsells: UpsellsApi & UpsellImpressionsApi;
}
