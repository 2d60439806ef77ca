import { entities } from '#entities/entities.ts';
import type { ShopEvent } from '#events/registry.ts';
import type { DomainEvent, Recorded } from '#kernel/event.ts';
import { changesDates } from '#values/order-transitions.ts';
import { supplierDirect } from '#values/fulfilment-providers.ts';
import { notificationNamed, type AfterNotification } from '#values/notifications.ts';

/** A notification that only some events of a type lead to. */
type Conditional<Event> = readonly [AfterNotification, when: (event: Event) => boolean];

type Row<Event> = readonly (AfterNotification | Conditional<Event>)[];

/** Once for a request: with the one of its events that says the product's name. */
const productSaved: Row<{ readonly data: { readonly productName?: string | undefined } }> = [
  ['ProductSavedNotification', ({ data: { productName } }) => productName !== undefined],
];

type InvoiceEdited = Extract<ShopEvent, DomainEvent<'InvoiceEdited'>>;
const isOfSale = ({ data }: InvoiceEdited): boolean => data.isOfSale === true;
const opensOrders = ({ data }: InvoiceEdited): boolean =>
  data.isOfSale === true && data.openedOrderIds !== undefined;

const aggregateChanged = 'InvoiceAggregateChangedNotification';
const invoiceSaved = ['InvoiceSavedNotification', aggregateChanged] as const;

/** The notifications of events, other than those of resources (docs/guides/hooks.md#notifications). */
const declared: {
  readonly [Type in ShopEvent['type']]?: Row<Extract<ShopEvent, DomainEvent<Type>>>;
} = {
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
  DiscountTakenOff: [['CheckoutDiscountCodeRemovedNotification', ({ data }) => data.code !== null]],
  OrderPlacementFailed: [
    ['CheckoutStockValidationFailedAtCheckoutNotification', ({ data }) => data.code === 'out-of-stock'],
  ],
  CheckoutAbandoned: ['CheckoutAbandonedNotification'],
  RecoveryMailRequested: [
    ['CheckoutAbandonedFirstNotification', ({ data }) => data.kind === 'first'],
    ['CheckoutAbandonedReminderNotification', ({ data }) => data.kind === 'reminder'],
    ['CheckoutAbandonedFinalNotification', ({ data }) => data.kind === 'final'],
  ],
  CheckoutRecovered: [['CheckoutRecoveredNotification', ({ data }) => data.isFirst]],
  CheckoutConverted: [['CheckoutRecoveryConvertedNotification', ({ data }) => data.recoveredAt !== null]],
  // A sale is announced once, when it is confirmed; an invoice that is never paid never is.
  SaleConfirmed: [
    'InvoiceSavedNotification',
    'OrderGroupingNotification',
    'OrderCreatedNotification',
    'OrderSavedNotification',
    aggregateChanged,
  ],
  BillingAddressChanged: invoiceSaved,
  ShippingAddressChanged: [
    ...invoiceSaved,
    ['OrderSavedNotification', ({ data }) => data.orderStatuses !== undefined],
  ],
  PurchaseOrderNumberChanged: invoiceSaved,
  // An invoice that is not sold has not been announced.
  InvoiceEdited: [
    ['InvoiceSavedNotification', isOfSale],
    ['OrderGroupingNotification', opensOrders],
    ['OrderCreatedNotification', opensOrders],
    ['OrderSavedNotification', isOfSale],
    [aggregateChanged, isOfSale],
  ],
  InvoiceCancelled: ['InvoiceCancelledNotification', aggregateChanged],
  InvoiceDeleted: ['InvoiceDeletedNotification', aggregateChanged],
  InvoiceReminded: [
    ['InvoiceReminderNotification', ({ data }) => data.kind === 'dueSoon'],
    ['InvoiceOverdueNotification', ({ data }) => data.kind !== 'dueSoon'],
  ],
  OrderStatusChanged: [
    ['OrderStatusChangedNotification', ({ data }) => !data.isSilent],
    ['OrderSavedNotification', ({ data: { from, to, isSilent } }) => changesDates(from, to) && !isSilent],
    [aggregateChanged, ({ data }) => !data.isSilent],
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
  ReservationEdited: [
    ['InventoryReleasedNotification', ({ data: { released, destroyed } }) => released + destroyed > 0],
  ],
  StockAdjusted: ['InventoryAdjustedNotification'],
  StockAllocated: ['InventoryAllocatedNotification'],
  StockRowOpened: [['InventoryAdjustedNotification', ({ data }) => data.reason !== undefined]],
  AllocationReversed: [['InventoryAdjustedNotification', ({ data }) => data.quantity > 0]],
  StockRanLow: ['InventoryLowStockNotification'],
  ExchangeRatesRefreshed: ['ExchangeRatesRefreshedNotification'],
  ExchangeRateFetchFailed: ['ExchangeRatesFetchFailedNotification'],
  FulfilmentSubmitted: [
    'FulfilmentSubmittedNotification',
    ['FulfilmentSupplierOrderNotification', ({ data }) => data.providerKey === supplierDirect.key],
  ],
  FulfilmentAttemptFailed: [
    ['FulfilmentSubmissionFailedNotification', ({ data }) => data.isFinal],
    ['FulfilmentSubmissionAttemptFailedNotification', ({ data }) => !data.isFinal],
  ],
  FulfilmentInventorySynced: ['FulfilmentInventoryUpdatedNotification'],
  FulfilmentProductsSynced: ['FulfilmentProductSyncedNotification'],
  WebhookReceiverFailed: ['WebhookFailingNotification'],
  WebhookDeliveriesGivenUp: ['WebhookGaveUpNotification'],
  WebhookReceiverRecovered: ['WebhookRecoveredNotification'],
  CustomerRegistered: ['CustomerCreatedNotification'],
  CustomerAcceptedMarketing: ['CustomerSavedNotification'],
  CustomerChanged: ['CustomerSavedNotification'],
  CustomerDeleted: ['CustomerDeletedNotification'],
  PasswordResetRequested: [
    ['CustomerPasswordResetRequestedNotification', ({ data }) => data.memberId !== null],
  ],
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
  ].flatMap(([event, word]): [type: string, row: Row<never>][] => {
    const name = `${noun}${word}Notification`;
    return notificationNamed(name) ? [[`${noun}${event}`, [name as AfterNotification]]] : [];
  });
});

const rows = new Map<string, Row<never>>([...ofEntities, ...Object.entries<Row<never>>(declared)]);

/** The notifications that events of a type may lead to. */
export const notificationsByType: ReadonlyMap<string, readonly AfterNotification[]> = new Map(
  [...rows].map(([type, row]) => [type, row.map((one) => (typeof one === 'string' ? one : one[0]))]),
);

/** The notifications that an event leads to. Pure: the same after a replay. */
export const notificationsOf = (event: Recorded): readonly AfterNotification[] =>
  (rows.get(event.type) ?? []).flatMap((one) => {
    if (typeof one === 'string') return [one];
    const [notification, isMeant] = one;
    return isMeant(event as never) ? [notification] : [];
  });

/** What a notification says besides its event: which part of an invoice has changed, and how. */
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
