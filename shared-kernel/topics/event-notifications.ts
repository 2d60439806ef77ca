import { entities } from '#entities/entities.ts';
import type { ShopEvent } from '#events/registry.ts';
import type { DomainEvent, Recorded } from '#kernel/event.ts';
import { changesDates } from '#values/order-transitions.ts';
import { supplierDirect } from '#values/fulfilment-providers.ts';
import { notificationNamed, type AfterNotification } from '#values/notifications.ts';

type Tell<Type extends ShopEvent['type']> =
  | readonly AfterNotification[]
  | ((event: Extract<ShopEvent, DomainEvent<Type>>) => readonly AfterNotification[]);

/** Once for a request: with the one of its events that says the product's name. */
const productSaved = ({
  data: { productName },
}: {
  readonly data: { readonly productName?: string | undefined };
}): readonly AfterNotification[] => (productName === undefined ? [] : ['ProductSavedNotification']);

const aggregateChanged = 'InvoiceAggregateChangedNotification';
const invoiceSaved = ['InvoiceSavedNotification', aggregateChanged] as const;

/** What is told of an event, where it is not a managed thing's (docs/hooks.md#notifications). */
const told: { readonly [Type in ShopEvent['type']]?: Tell<Type> } = {
  BasketStarted: ['BasketCreatedNotification'],
  BasketLineAdded: ['BasketItemAddedNotification'],
  BasketLineRemoved: ['BasketItemRemovedNotification'],
  BasketLineQuantityChanged: ['BasketItemQuantityChangedNotification'],
  BasketCleared: ['BasketClearedNotification'],
  BasketCurrencyChanged: ['BasketCurrencyChangedNotification'],
  CheckoutAddressesChanged: ['CheckoutAddressesChangedNotification'],
  ShippingSelected: ['CheckoutShippingSelectionChangedNotification'],
  DiscountCodeApplied: ['CheckoutDiscountCodeAppliedNotification'],
  DiscountCodeRemoved: ['CheckoutDiscountCodeRemovedNotification'],
  DiscountTakenOff: ({ data }) => (data.code === null ? [] : ['CheckoutDiscountCodeRemovedNotification']),
  OrderPlacementFailed: ({ data }) =>
    data.code === 'out-of-stock' ? ['CheckoutStockValidationFailedAtCheckoutNotification'] : [],
  // A sale is told once, when it is confirmed: nobody hears of an invoice that is never paid.
  SaleConfirmed: [
    'InvoiceSavedNotification',
    'OrderGroupingNotification',
    'OrderCreatedNotification',
    'OrderSavedNotification',
    aggregateChanged,
  ],
  BillingAddressChanged: invoiceSaved,
  ShippingAddressChanged: ({ data }) => [
    ...invoiceSaved,
    ...(data.orderStatuses ? ['OrderSavedNotification' as const] : []),
  ],
  PurchaseOrderNumberChanged: invoiceSaved,
  // Nobody has heard of an invoice that is not sold.
  InvoiceEdited: ({ data }) =>
    data.isOfSale
      ? [
          'InvoiceSavedNotification',
          ...(data.openedOrderIds
            ? (['OrderGroupingNotification', 'OrderCreatedNotification'] as const)
            : []),
          'OrderSavedNotification',
          aggregateChanged,
        ]
      : [],
  InvoiceCancelled: ['InvoiceCancelledNotification', aggregateChanged],
  InvoiceDeleted: ['InvoiceDeletedNotification', aggregateChanged],
  InvoiceReminded: ({ data }) => [
    data.kind === 'dueSoon' ? 'InvoiceReminderNotification' : 'InvoiceOverdueNotification',
  ],
  OrderStatusChanged: ({ data: { from, to } }) => [
    'OrderStatusChangedNotification',
    ...(changesDates(from, to) ? ['OrderSavedNotification' as const] : []),
    aggregateChanged,
  ],
  ShipmentCreated: ['ShipmentCreatedNotification', aggregateChanged],
  ShipmentChanged: ['ShipmentSavedNotification', aggregateChanged],
  ShipmentStatusChanged: ['ShipmentStatusChangedNotification', aggregateChanged],
  PaymentCaptured: ['PaymentCreatedNotification'],
  PaymentRefunded: ['PaymentRefundedNotification'],
  DownloadLinksCreated: ['DigitalProductDeliveredNotification'],
  ProductCreated: ['ProductCreatedNotification'],
  ProductDetailsChanged: productSaved,
  ProductVariantAdded: productSaved,
  ProductVariantChanged: productSaved,
  ProductVariantRemoved: productSaved,
  ProductVariantsGenerated: productSaved,
  ProductVariantsRemoved: productSaved,
  ProductDeleted: ['ProductDeletedNotification'],
  StockReserved: ['InventoryReservedNotification'],
  StockReleased: ['InventoryReleasedNotification'],
  ReservationEdited: ({ data }) =>
    data.released + data.destroyed > 0 ? ['InventoryReleasedNotification'] : [],
  StockAdjusted: ['InventoryAdjustedNotification'],
  StockAllocated: ['InventoryAllocatedNotification'],
  AllocationReversed: ['InventoryAdjustedNotification'],
  StockRanLow: ['InventoryLowStockNotification'],
  ExchangeRatesRefreshed: ['ExchangeRatesRefreshedNotification'],
  ExchangeRateFetchFailed: ['ExchangeRatesFetchFailedNotification'],
  FulfilmentSubmitted: ({ data: { providerKey } }) =>
    providerKey === supplierDirect.key
      ? ['FulfilmentSubmittedNotification', 'FulfilmentSupplierOrderNotification']
      : ['FulfilmentSubmittedNotification'],
  FulfilmentAttemptFailed: ({ data: { isFinal } }) =>
    isFinal ? ['FulfilmentSubmissionFailedNotification'] : ['FulfilmentSubmissionAttemptFailedNotification'],
  FulfilmentInventorySynced: ['FulfilmentInventoryUpdatedNotification'],
  FulfilmentProductsSynced: ['FulfilmentProductSyncedNotification'],
  CustomerRegistered: ['CustomerCreatedNotification'],
  CustomerAcceptedMarketing: ['CustomerSavedNotification'],
  CustomerChanged: ['CustomerSavedNotification'],
  CustomerDeleted: ['CustomerDeletedNotification'],
  PasswordResetRequested: ({ data }) =>
    data.memberId === null ? [] : ['CustomerPasswordResetRequestedNotification'],
  PaymentMethodSaved: ['SavedPaymentMethodCreatedNotification'],
  PaymentMethodRemoved: ['SavedPaymentMethodDeletedNotification'],
  DiscountActivated: ['DiscountStatusChangedNotification'],
  DiscountDeactivated: ['DiscountStatusChangedNotification'],
  DiscountExpired: ['DiscountStatusChangedNotification'],
  UpsellRuleActivated: ['UpsellRuleStatusChangedNotification'],
  UpsellRuleDeactivated: ['UpsellRuleStatusChangedNotification'],
  UpsellRuleExpired: ['UpsellRuleStatusChangedNotification'],
};

const ofEntities = entities.flatMap(({ category }) => {
  const noun = category.charAt(0).toUpperCase() + category.slice(1);
  return [
    ['Created', 'Created'],
    ['Changed', 'Saved'],
    ['Deleted', 'Deleted'],
  ].flatMap(([event, word]) => {
    const name = `${noun}${word}Notification`;
    return notificationNamed(name) ? [[`${noun}${event}`, [name]] as const] : [];
  });
});

const rows = new Map<string, Tell<never>>([...ofEntities, ...Object.entries(told)] as [
  string,
  Tell<never>,
][]);

/** The types of the events of which anything is told. */
export const notifyingEventTypes: readonly string[] = [...rows.keys()];

/** What is told of an event. Pure: a replay tells the same. */
export const notificationsOf = (event: Recorded): readonly AfterNotification[] => {
  const row = rows.get(event.type) ?? [];
  return typeof row === 'function' ? row(event as never) : row;
};

/** What a notice says beside its event: of an invoice with all that belongs to it, what has changed in which part. */
export const changeDetails = (notification: AfterNotification, { type }: Pick<Recorded, 'type'>): object => {
  if (notification !== aggregateChanged) return {};
  const source = type.startsWith('Shipment')
    ? 'Shipment'
    : type === 'OrderStatusChanged'
      ? 'Order'
      : 'Invoice';
  const isNew = type === 'SaleConfirmed' || type === 'ShipmentCreated';
  return { change: isNew ? 'Created' : 'Updated', source };
};

/** What may be told of events of this type. */
export const mayNotify = (type: string, notification: AfterNotification): boolean => {
  const row = rows.get(type) ?? [];
  return typeof row === 'function' || row.includes(notification);
};
