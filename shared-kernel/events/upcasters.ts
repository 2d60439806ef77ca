type Data = Readonly<Record<string, unknown>>;

/** Adds to the object under a name what events of before did not say. */
const withField =
  (name: string, added: Data) =>
  (data: Data): Data => ({ ...data, [name]: { ...added, ...(data[name] as Data) } });

/** What of before may still be said; what a release of before would misread has the new version. */
const asItWas = (data: Data): Data => data;

/** What roots and variants have had since products were first kept. */
const laterOfRoot = {
  digitalDeliveryMethod: 'InstantDownload',
  digitalFileIds: [],
  downloadLinkExpiryDays: null,
  maxDownloadsPerLink: 0,
};
const laterOfVariant = { excludeRootImages: false };

/** What discount rules have had since they could be more than codes for a percentage off the order. */
const laterOfDiscount = {
  applyAfterTax: false,
  targetRules: [],
  eligibilityRules: [],
  buyXGetY: null,
  freeShipping: null,
};

/** The store's limit held for products that named 0, as all did that said nothing. */
const withStoresLimit = (data: Data): Data => {
  const root = data['root'] as Data;
  return { ...data, root: { ...root, maxDownloadsPerLink: root['maxDownloadsPerLink'] || null } };
};

/** Invoices whose money could not be given back. */
const withGivenBack = withField('balance', { givenBack: 0 });

/** An invoice that expired had a word in place of a reason. */
const withReasonOfStaff = (data: Data): Data =>
  data['cancelledBy'] === undefined ? { ...data, reason: null } : data;

/** Those of the basket, which does not change while an order is made of it. */
const withoutAddresses = ({ email: _, billingAddress: __, shippingAddress: ___, ...data }: Data): Data =>
  data;

/** A customer's sale is told of by their own stream. */
const withoutPreviousSale = ({ previousSaleDay: _, ...data }: Data): Data => data;

/** Who had bought on that day was told so by the day itself. */
const withDaysAround = (data: Data): Data => ({
  ...data,
  isFirstOfDay: data['previousSaleDay'] !== data['businessDay'],
  nextSaleDay: null,
});

/** Sales whose source was not told are the storefront's; with an earlier day, the first one does not matter. */
const inStorefront = (firstSaleDay: unknown, ofSource: Data): Data => ({
  sourceType: 'web',
  firstSaleDays: firstSaleDay === null ? {} : { web: firstSaleDay },
  ofSource,
});

const soldInStorefront = (data: Data): Data => {
  const { businessDay, isFirstOfDay, previousSaleDay, nextSaleDay } = data;
  const firstSaleDay = previousSaleDay ?? (isFirstOfDay ? nextSaleDay : businessDay);
  return { ...data, ...inStorefront(firstSaleDay, { isFirstOfDay, previousSaleDay, nextSaleDay }) };
};

const cancelledInStorefront = ({ lastSaleDay: _, ...data }: Data): Data => {
  const { businessDay, wasOnlyOfDay, previousSaleDay, nextSaleDay } = data;
  const firstSaleDay = previousSaleDay ?? (wasOnlyOfDay ? nextSaleDay : businessDay);
  return { ...data, ...inStorefront(firstSaleDay, { wasOnlyOfDay, previousSaleDay, nextSaleDay }) };
};

/** A product with its variants. */
const withLaterOfProduct = (data: Data): Data => ({
  ...withField('root', laterOfRoot)(data),
  variants: (data['variants'] as readonly Data[]).map((variant) => ({ ...laterOfVariant, ...variant })),
});

/** What customers have had since more was kept of them than a name. */
const withLaterOfCustomer = (data: Data): Data => ({
  memberKey: null,
  addresses: null,
  isFlagged: false,
  hasAccountTerms: false,
  paymentTermsDays: null,
  creditLimit: null,
  tags: [],
  at: null,
  ...data,
});

/** What webhook subscriptions have had since all of them were sent up to 32 deliveries at once. */
const withLaterOfSubscription = (data: Data): Data => ({
  ...data,
  maxConcurrent: 32,
  standardWebhooks: false,
});

/**
 * Lifts the data of an event from one schema version to the next: `upcasters[type][version]` turns version into
 * version + 1. An event file never changes what a stored event meant.
 */
const upcasters: Readonly<Record<string, Readonly<Record<number, (data: Data) => Data>>>> = {
  CheckoutAddressesChanged: { 1: asItWas, 2: asItWas },
  CheckoutEmailCaptured: { 1: asItWas },
  CheckoutAddressCaptured: { 1: asItWas },
  OrderPlacementStarted: { 1: withoutAddresses, 2: asItWas },
  ManualOrderRequested: { 1: asItWas },
  PaymentAttempted: { 1: asItWas },
  PaymentMethodSaved: { 1: asItWas },
  CustomerChanged: { 1: asItWas },
  CustomerDeleted: { 1: asItWas },
  CustomerSegmentJoined: { 1: asItWas },
  InvoiceCreated: { 1: withGivenBack, 2: asItWas, 3: asItWas },
  InvoiceCancelled: { 1: withGivenBack, 2: withReasonOfStaff },
  InvoiceDeleted: { 1: (data) => ({ ...data, completedDays: [] }) },
  PaymentPromised: { 1: withGivenBack },
  PaymentCaptured: { 1: withGivenBack },
  SaleConfirmed: { 1: withGivenBack, 2: asItWas, 3: withoutPreviousSale, 4: asItWas },
  InvoiceEdited: { 1: asItWas },
  InvoiceEditBegun: { 1: asItWas },
  UpsellConverted: { 1: asItWas },
  DiscountUseClaimed: { 1: asItWas },
  WarehouseCreated: {
    1: withField('warehouse', { fulfilmentProviderConfigurationId: null }),
    2: withField('warehouse', { providerConfigs: [] }),
  },
  WarehouseChanged: {
    1: withField('warehouse', { fulfilmentProviderConfigurationId: null }),
    2: withField('warehouse', { providerConfigs: [] }),
  },
  BasketLineAdded: { 1: asItWas },
  BasketLineQuantityChanged: { 1: asItWas },
  DiscountCreated: { 1: withField('rule', laterOfDiscount) },
  DiscountChanged: { 1: withField('rule', laterOfDiscount) },
  CustomerRegistered: { 1: withLaterOfCustomer, 2: asItWas },
  CustomerAcceptedMarketing: {
    1: () => ({ email: null, firstName: null, lastName: null, at: null }),
    2: asItWas,
  },
  CustomerSaleRecorded: {
    1: (data) => ({ ...data, total: null, placedAt: null, countryCode: null }),
    2: withDaysAround,
    3: soldInStorefront,
  },
  CustomerSaleCancelled: { 1: cancelledInStorefront },
  ProductCreated: { 1: withLaterOfProduct, 2: withStoresLimit },
  ProductDetailsChanged: { 1: withField('root', laterOfRoot), 2: withStoresLimit },
  ProductVariantAdded: { 1: withField('variant', laterOfVariant) },
  ProductVariantChanged: { 1: withField('variant', laterOfVariant) },
  ProductVariantsGenerated: { 1: withField('common', laterOfVariant) },
  ShippingOptionCreated: { 1: withField('shippingOption', { externalKey: null }) },
  ShippingOptionChanged: { 1: withField('shippingOption', { externalKey: null }) },
  WebhookSubscribed: { 1: withLaterOfSubscription },
  WebhookSubscriptionChanged: { 1: withLaterOfSubscription },
};

/** The data of a stored event as today's schema has it. */
export const upcast = (
  type: string,
  data: unknown,
  storedVersion: number,
  currentVersion: number,
): unknown => {
  let lifted = data as Data;
  for (let version = storedVersion; version < currentVersion; version++) {
    const step = upcasters[type]?.[version];
    if (!step) throw new Error(`no upcaster lifts ${type} from version ${version}`);
    lifted = step(lifted);
  }
  return lifted;
};
