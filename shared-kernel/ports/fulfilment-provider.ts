import type { Address } from '#values/address.ts';
import type { FulfilmentProviderDescription } from '#values/fulfilment-providers.ts';

/** What staff have set for a provider, secrets in clear. */
export type FulfilmentSettings = Readonly<Record<string, string>>;

/**
 * A line that is to be sent; amounts as decimals of the order's currency. `extendedData` has the options of its variant
 * by name; of what was chosen beside them, `parentLineItemId`: the line that it belongs to, which it follows.
 */
export interface FulfilmentLine {
  readonly lineItemId: string;
  readonly sku: string;
  readonly name: string;
  readonly quantity: number;
  readonly unitPrice: number;
  readonly extendedData: Readonly<Record<string, string>>;
}

/** An order as a provider is told of it: what has to be sent, and where to. */
export interface FulfilmentOrder {
  readonly orderId: string;
  /** The number of the invoice. */
  readonly orderNumber: string;
  readonly currencyCode: string;
  readonly lineItems: readonly FulfilmentLine[];
  /** Null once the customer has been forgotten. */
  readonly shippingAddress: Address | null;
  readonly billingAddress: Address | null;
  readonly customerEmail: string | null;
  /** What a carrier calls its service; else the shop's name of the way. */
  readonly shippingServiceCode: string | null;
  readonly requestedDeliveryDate: string | null;
  /** What staff have written for one another, a line each. */
  readonly internalNotes: string | null;
  readonly extendedData: Readonly<Record<string, string>>;
}

/** Whose goods they are, for those who write to suppliers. */
export interface OrderSupplier {
  readonly name: string;
  readonly contactEmail: string | null;
}

/** What stands beside an order that is submitted. */
export interface SubmissionDetails {
  readonly idempotencyKey: string;
  readonly supplier: OrderSupplier | null;
  /** The data subject whom the order is about; null: it is made up. */
  readonly subject: string | null;
}

/** A provider's no: asking again would bring the same. */
interface Refused {
  readonly kind: 'refused';
  readonly message: string;
}

/** Nothing was done, or the outcome is unknown: ask again with the same key. */
interface NotDone {
  readonly kind: 'failed';
  readonly message: string;
}

export type SubmissionOutcome =
  | {
      readonly kind: 'submitted';
      readonly reference: string;
      /** In the provider's own words. */
      readonly status: string | null;
    }
  | Refused
  | NotDone;

export type CancellationOutcome = { readonly kind: 'cancelled' } | Refused | NotDone;

/** The statuses that a provider can bring about. */
export type ProviderOrderStatus = 'Processing' | 'Shipped' | 'Completed' | 'Cancelled' | 'OnHold';

export interface StatusUpdate {
  readonly providerReference: string;
  readonly providerStatus: string;
  readonly mappedStatus: ProviderOrderStatus;
  /** ISO instant; null where the provider does not say when. */
  readonly statusDate: string | null;
  readonly errorMessage: string | null;
}

export interface ShipmentUpdate {
  readonly providerReference: string;
  /** Null: the order has one shipment, which has no name of its own. */
  readonly providerShipmentId: string | null;
  readonly trackingNumber: string | null;
  readonly trackingUrl: string | null;
  readonly carrier: string | null;
  /** ISO instants; null where it has not come to that. */
  readonly shippedDate: string | null;
  readonly deliveredDate: string | null;
  readonly isCancelled: boolean;
  /** Null: everything that is left. */
  readonly items: readonly { readonly sku: string; readonly quantityShipped: number }[] | null;
}

export interface InventoryLevel {
  readonly sku: string;
  /** Null: the warehouses that the provider serves. */
  readonly warehouseCode: string | null;
  /** Negative in what a broken provider says. */
  readonly availableQuantity: number;
}

/** What a provider tells, as one message. */
export interface FulfilmentUpdates {
  readonly eventType: string;
  readonly statusUpdates: readonly StatusUpdate[];
  readonly shipmentUpdates: readonly ShipmentUpdate[];
  readonly inventoryUpdates: readonly InventoryLevel[];
}

/** A callback as it came: the bytes that were signed, headers by lower-case name, and when (milliseconds). */
export interface RawFulfilmentCallback {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly now: number;
}

export type ReadFulfilmentCallback =
  | { readonly kind: 'updates'; readonly updates: FulfilmentUpdates }
  | { readonly kind: 'invalidSignature' }
  | { readonly kind: 'malformed'; readonly message: string };

/** What a provider should have said, for trying the shop out. */
export interface TestUpdate {
  readonly eventType: string;
  readonly providerReference: string | null;
  readonly providerShipmentId: string | null;
  readonly trackingNumber: string | null;
  readonly carrier: string | null;
  readonly shippedDate: string | null;
}

export interface SyncedProduct {
  readonly productId: string;
  readonly sku: string;
  readonly name: string;
  readonly barcode: string | null;
  readonly weightKg: number | null;
}

export type PollOutcome = { readonly kind: 'found'; readonly updates: FulfilmentUpdates } | Refused | NotDone;

export type ProductSyncOutcome =
  | { readonly kind: 'synced'; readonly failedSkus: readonly string[] }
  | Refused
  | NotDone;

export type InventoryOutcome =
  | { readonly kind: 'levels'; readonly levels: readonly InventoryLevel[] }
  | Refused
  | NotDone;

export interface ConnectionTest {
  readonly success: boolean;
  readonly providerVersion: string | null;
  readonly accountName: string | null;
  readonly warehouseCount: number | null;
  readonly errorMessage: string | null;
  readonly errorCode: string | null;
}

export interface TestableEvent {
  readonly eventType: string;
  readonly displayName: string;
  readonly description: string;
}

/**
 * A provider that sends goods for the shop (docs/guides/writing-a-fulfilment-provider.md). What it cannot do is left
 * out. Nothing throws: every failure is an outcome. Each call ends within the time-out of its settings, and reads a
 * bounded answer; addresses are checked like those of webhooks (docs/rules/webhooks.md#targets).
 */
export interface FulfilmentProvider {
  readonly description: FulfilmentProviderDescription;
  testConnection(settings: FulfilmentSettings): Promise<ConnectionTest>;
  /** Under the same key it takes an order once, however often it is asked. */
  submitOrder?(
    settings: FulfilmentSettings,
    order: FulfilmentOrder,
    details: SubmissionDetails,
  ): Promise<SubmissionOutcome>;
  cancelOrder?(
    settings: FulfilmentSettings,
    reference: string,
    idempotencyKey: string,
  ): Promise<CancellationOutcome>;
  callback?(settings: FulfilmentSettings, raw: RawFulfilmentCallback): ReadFulfilmentCallback;
  /** The same for an unsigned message, for trying the shop out. */
  readCallback?(body: Buffer, now: number): ReadFulfilmentCallback;
  pollOrder?(settings: FulfilmentSettings, reference: string): Promise<PollOutcome>;
  syncProducts?(
    settings: FulfilmentSettings,
    products: readonly SyncedProduct[],
  ): Promise<ProductSyncOutcome>;
  inventoryLevels?(settings: FulfilmentSettings): Promise<InventoryOutcome>;
  /** The events that can be tried out. */
  readonly testableEvents?: readonly TestableEvent[];
  /** The body of a callback, as it would come. */
  testCallback?(update: TestUpdate, now: number): string;
}
