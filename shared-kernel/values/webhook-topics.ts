/**
 * The outbound topics that an integrator can subscribe to (specification 6.1): what they are called. When they go out
 * and with what is told in one place, the dispatcher's `topics.ts`.
 */
interface NamedTopic {
  readonly category: string;
  readonly displayName: string;
  readonly description: string;
}

const named = {
  'order.created': ['Orders', 'Order Created', 'A sale is confirmed: once for each of its orders.'],
  'order.updated': ['Orders', 'Order Updated', 'The contents or the shipping of an order have changed.'],
  'order.status_changed': ['Orders', 'Order Status Changed', 'An order moves from one status to another.'],
  'order.cancelled': ['Orders', 'Order Cancelled', 'An invoice is cancelled with all its orders.'],
  'invoice.created': [
    'Invoices',
    'Invoice Created',
    'A sale is confirmed: paid, on account or entered by hand.',
  ],
  'invoice.paid': ['Invoices', 'Invoice Paid', 'A payment leaves nothing of an invoice to be paid.'],
  'invoice.refunded': ['Invoices', 'Invoice Refunded', 'Money of an invoice is given back.'],
  'invoice.deleted': ['Invoices', 'Invoice Deleted', 'An invoice is taken out of the lists.'],
  'product.created': ['Products', 'Product Created', 'A product is added to the catalogue.'],
  'product.updated': [
    'Products',
    'Product Updated',
    'A product, a variant, its options or prices have changed.',
  ],
  'product.deleted': ['Products', 'Product Deleted', 'A product is taken out of the catalogue.'],
  'inventory.adjusted': ['Inventory', 'Inventory Adjusted', 'The stock of a product is set or corrected.'],
  'inventory.low_stock': ['Inventory', 'Low Stock Alert', 'Stock falls to its reorder point.'],
  'inventory.reserved': [
    'Inventory',
    'Stock Reserved',
    'Stock is set aside for an order that is being placed.',
  ],
  'inventory.allocated': ['Inventory', 'Stock Allocated', 'Stock leaves the warehouse with a shipment.'],
  'customer.created': ['Customers', 'Customer Created', 'A customer is known for the first time.'],
  'customer.updated': ['Customers', 'Customer Updated', 'What is known of a customer has changed.'],
  'customer.deleted': ['Customers', 'Customer Deleted', 'A customer is deleted.'],
  'shipment.created': ['Shipments', 'Shipment Created', 'A shipment of an order is created.'],
  'shipment.updated': [
    'Shipments',
    'Shipment Updated',
    'The tracking or the status of a shipment has changed.',
  ],
  'discount.created': ['Discounts', 'Discount Created', 'A discount is created.'],
  'discount.updated': ['Discounts', 'Discount Updated', 'The rule or the status of a discount has changed.'],
  'discount.deleted': ['Discounts', 'Discount Deleted', 'A discount is deleted.'],
  'checkout.abandoned': [
    'Checkout Recovery',
    'Checkout Abandoned',
    'A checkout has stood still for too long.',
  ],
  'checkout.abandoned.first': [
    'Checkout Recovery',
    'Cart Recovery - First Email',
    'The first recovery e-mail is due.',
  ],
  'checkout.abandoned.reminder': [
    'Checkout Recovery',
    'Cart Recovery - Reminder',
    'The second recovery e-mail is due.',
  ],
  'checkout.abandoned.final': [
    'Checkout Recovery',
    'Cart Recovery - Final Notice',
    'The last recovery e-mail is due.',
  ],
  'checkout.recovered': ['Checkout Recovery', 'Checkout Recovered', 'A recovery link is used.'],
  'checkout.converted': [
    'Checkout Recovery',
    'Recovery Converted',
    'A recovered checkout ends in a purchase.',
  ],
  'basket.created': ['Baskets', 'Basket Created', 'A visitor puts the first product into a basket.'],
  'basket.updated': ['Baskets', 'Basket Updated', 'The lines of a basket have changed.'],
  'digital.delivered': [
    'Digital Products',
    'Digital Product Delivered',
    'Download links are ready for a customer.',
  ],
  'fulfilment.submitted': ['Fulfilment', 'Fulfilment Submitted', 'A fulfilment provider accepts an order.'],
  'fulfilment.failed': ['Fulfilment', 'Fulfilment Failed', 'An order could not be handed to its provider.'],
  'fulfilment.inventory_updated': [
    'Fulfilment',
    'Fulfilment Inventory Updated',
    'Stock levels of a provider have been taken over.',
  ],
  'fulfilment.product_synced': [
    'Fulfilment',
    'Fulfilment Products Synced',
    'Products of a provider have been taken over.',
  ],
} as const satisfies Readonly<Record<string, readonly [string, string, string]>>;

export type TopicKey = keyof typeof named;

export const topicKeys = Object.keys(named) as readonly TopicKey[];

export const isTopicKey = (key: string): key is TopicKey => Object.hasOwn(named, key);

export const namedTopic = (key: TopicKey): NamedTopic => {
  const [category, displayName, description] = named[key];
  return { category, displayName, description };
};
