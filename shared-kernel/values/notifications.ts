/** The notifications of one domain: their names begin with the prefix. */
interface Domain {
  readonly domain: string;
  readonly prefix: string;
  /** Asked before a command is decided. */
  readonly before: readonly string[];
  /** Told once it has happened. */
  readonly after: readonly string[];
  /** Of those before: a reason why not is logged only. */
  readonly onlyLogged?: readonly string[];
}

/** What most resources have. */
const kept = <const Prefix extends string>(domain: string, prefix: Prefix) =>
  ({
    domain,
    prefix,
    before: ['Creating', 'Saving', 'Deleting'],
    after: ['Created', 'Saved', 'Deleted'],
  }) as const;

/** What is switched on and off, too. */
const switched = <const Prefix extends string>(domain: string, prefix: Prefix) =>
  ({
    domain,
    prefix,
    before: ['Creating', 'Saving', 'Deleting', 'StatusChanging'],
    after: ['Created', 'Saved', 'Deleted', 'StatusChanged'],
  }) as const;

/** Every notification (docs/guides/hooks.md#notifications). */
const domains = [
  {
    domain: 'Basket',
    prefix: 'Basket',
    before: ['ItemAdding', 'ItemRemoving', 'ItemQuantityChanging', 'Clearing', 'CurrencyChanging'],
    after: ['Created', 'ItemAdded', 'ItemRemoved', 'ItemQuantityChanged', 'Cleared', 'CurrencyChanged'],
  },
  {
    domain: 'Checkout',
    prefix: 'Checkout',
    before: ['AddressesChanging', 'ShippingSelectionChanging', 'DiscountCodeApplying'],
    after: [
      'AddressesChanged',
      'ShippingSelectionChanged',
      'DiscountCodeApplied',
      'DiscountCodeRemoved',
      'StockValidationFailedAtCheckout',
      'Abandoned',
      'AbandonedFirst',
      'AbandonedReminder',
      'AbandonedFinal',
      'Recovered',
      'RecoveryConverted',
    ],
  },
  {
    domain: 'Invoice',
    prefix: 'Invoice',
    before: ['Saving', 'Cancelling', 'Deleting'],
    after: ['Saved', 'Cancelled', 'Deleted', 'Reminder', 'Overdue', 'AggregateChanged'],
  },
  {
    domain: 'Order',
    prefix: 'Order',
    before: ['Creating', 'Saving', 'StatusChanging'],
    after: ['Created', 'Saved', 'StatusChanged'],
    onlyLogged: ['Saving'],
  },
  { domain: 'Order grouping', prefix: 'OrderGrouping', before: ['Modifying'], after: [''] },
  { domain: 'Payment', prefix: 'Payment', before: ['Creating', 'Refunding'], after: ['Created', 'Refunded'] },
  {
    domain: 'Saved payment method',
    prefix: 'SavedPaymentMethod',
    before: ['Creating', 'Deleting'],
    after: ['Created', 'Deleted'],
  },
  {
    domain: 'Shipment',
    prefix: 'Shipment',
    before: ['Creating', 'Saving', 'StatusChanging'],
    after: ['Created', 'Saved', 'StatusChanged'],
  },
  kept('Product', 'Product'),
  {
    domain: 'Inventory',
    prefix: 'Inventory',
    before: ['Reserving', 'Releasing', 'Allocating'],
    after: ['Reserved', 'Released', 'Allocated', 'Adjusted', 'LowStock'],
  },
  {
    domain: 'Customer',
    prefix: 'Customer',
    before: ['Creating', 'Saving', 'Deleting'],
    after: ['Created', 'Saved', 'Deleted', 'PasswordResetRequested'],
  },
  kept('Customer segment', 'CustomerSegment'),
  kept('Supplier', 'Supplier'),
  kept('Warehouse', 'Warehouse'),
  kept('Tax group', 'TaxGroup'),
  kept('Shipping option', 'ShippingOption'),
  kept('Shipping tax override', 'ShippingTaxOverride'),
  switched('Discount', 'Discount'),
  switched('Upsell rule', 'UpsellRule'),
  { domain: 'Digital', prefix: 'DigitalProduct', before: [], after: ['Delivered'] },
  { domain: 'Exchange rates', prefix: 'ExchangeRates', before: [], after: ['Refreshed', 'FetchFailed'] },
  {
    domain: 'Fulfilment',
    prefix: 'Fulfilment',
    before: ['Submitting'],
    after: [
      'Submitted',
      'SubmissionAttemptFailed',
      'SubmissionFailed',
      'InventoryUpdated',
      'ProductSynced',
      'SupplierOrder',
    ],
  },
  { domain: 'Webhook', prefix: 'Webhook', before: [], after: ['Failing', 'GaveUp', 'Recovered'] },
  {
    domain: 'Protocol',
    prefix: 'Protocol',
    before: [
      'AgentAuthenticating',
      'SessionCreating',
      'SessionUpdating',
      'SessionCompleting',
      'CartCreating',
      'CartUpdating',
      'WebhookSending',
    ],
    after: [
      'AgentAuthenticated',
      'SessionCreated',
      'SessionUpdated',
      'SessionCompleted',
      'CartCreated',
      'CartUpdated',
      'CartCanceled',
      'WebhookSent',
    ],
  },
] as const satisfies readonly Domain[];

/** What the shop does not do yet. */
const notificationsToCome: ReadonlySet<string> = new Set([
  'ProtocolAgentAuthenticatedNotification',
  'ProtocolSessionCreatedNotification',
  'ProtocolSessionUpdatedNotification',
  'ProtocolSessionCompletedNotification',
  'ProtocolCartCreatedNotification',
  'ProtocolCartUpdatedNotification',
  'ProtocolCartCanceledNotification',
  'ProtocolWebhookSentNotification',
]);

type Named<One, Part extends 'before' | 'after'> = One extends {
  readonly prefix: infer Prefix extends string;
} & { readonly [Name in Part]: readonly (infer Word extends string)[] }
  ? `${Prefix}${Word}Notification`
  : never;

/** Asked before something happens. */
export type BeforeNotification = Named<(typeof domains)[number], 'before'>;
/** Told after something has happened. */
export type AfterNotification = Named<(typeof domains)[number], 'after'>;

export interface Notification {
  readonly name: BeforeNotification | AfterNotification;
  readonly domain: string;
  /** Asked before something happens, and a text stops it. */
  readonly isCancelable: boolean;
  readonly isBefore: boolean;
  /** False for what the shop does not do yet. */
  readonly isCalled: boolean;
}

const notificationsOf = ({ domain, prefix, before, after, onlyLogged = [] }: Domain): Notification[] => {
  const named = (word: string, isBefore: boolean, isCancelable: boolean): Notification => {
    const name = `${prefix}${word}Notification` as Notification['name'];
    return { name, domain, isCancelable, isBefore, isCalled: !notificationsToCome.has(name) };
  };
  return [
    ...before.map((word) => named(word, true, !onlyLogged.includes(word))),
    ...after.map((word) => named(word, false, false)),
  ];
};

/** Every notification: by domain, those before a change first. */
export const notifications: readonly Notification[] = domains.flatMap(notificationsOf);

const byName = new Map<string, Notification>(notifications.map((one) => [one.name, one]));

export const notificationNamed = (name: string): Notification | undefined => byName.get(name);
