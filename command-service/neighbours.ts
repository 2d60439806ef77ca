import type { CatalogueForNeighbours } from './contexts/catalogue/product.commands.ts';
import type { CheckoutForNeighbours } from './contexts/checkout/checkout.commands.ts';
import type { CustomersForNeighbours } from './contexts/customers/customer.commands.ts';
import type { DownloadsForNeighbours } from './contexts/invoices/downloads/downloads.commands.ts';
import type { InventoryForNeighbours } from './contexts/inventory/stock.commands.ts';
import type { MailsForNeighbours } from './contexts/mails/mail.commands.ts';
import type { MembersForNeighbours } from './contexts/members/member.commands.ts';
import type { SavedMethodsForNeighbours } from './contexts/payment-methods/saved-method.commands.ts';
import type { PaymentsForNeighbours } from './contexts/invoices/payments/payment.commands.ts';
import type { ShippingForNeighbours } from './contexts/shipping/shipping.commands.ts';
import type { OrdersForNeighbours } from './contexts/invoices/invoice.commands.ts';
import type { ShippingOfOrders } from './contexts/invoices/fulfilment/shipment.commands.ts';
import type { PostPurchaseOfOrders } from './contexts/invoices/post-purchase/post-purchase.commands.ts';
import type { TaxesForNeighbours } from './contexts/tax/tax.commands.ts';
import type { UpsellsForNeighbours } from './contexts/upsells/upsell.commands.ts';
import type { ShowingOfUpsells } from './contexts/upsells/upsell-events.commands.ts';
import type { PostPurchaseForNeighbours } from './contexts/upsells/post-purchase.commands.ts';

/**
 * What one context does for another where a command to its stream is not enough; each declares it beside its commands,
 * and its module offers it. Ask while serving: nobody is there yet while the modules are being created.
 */
export interface Neighbours {
  readonly catalogue: CatalogueForNeighbours;
  readonly checkout: CheckoutForNeighbours;
  readonly customers: CustomersForNeighbours;
  readonly downloads: DownloadsForNeighbours;
  readonly inventory: InventoryForNeighbours;
  readonly mails: MailsForNeighbours;
  readonly members: MembersForNeighbours;
  readonly orders: OrdersForNeighbours & ShippingOfOrders & PostPurchaseOfOrders;
  readonly payments: PaymentsForNeighbours;
  readonly postPurchase: PostPurchaseForNeighbours;
  readonly savedMethods: SavedMethodsForNeighbours;
  readonly shipping: ShippingForNeighbours;
  readonly taxes: TaxesForNeighbours;
  readonly upsells: UpsellsForNeighbours & ShowingOfUpsells;
}
