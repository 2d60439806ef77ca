import { z } from 'zod';
import type {
  FulfilmentUpdates,
  InventoryLevel,
  ProviderOrderStatus,
  ReadFulfilmentCallback,
  ShipmentUpdate,
  StatusUpdate,
  TestableEvent,
  TestUpdate,
} from '#ports/fulfilment-provider.ts';
import { expectation } from '#fields/expectation.ts';
import { isoInstant } from '#kernel/clock.ts';
import { isWebAddress } from '#values/web-address.ts';
import { mappedStatus } from './provider-statuses.ts';

const MOST_ITEMS = 1000;
export const MOST_LEVELS = 100_000;

const text = z.string().trim().min(1).max(250);
const optional = z
  .string()
  .trim()
  .max(250)
  .nullish()
  .transform((given) => given || null);
/** An unusable one is ignored: the rest of the message still counts. */
const address = z
  .string()
  .trim()
  .max(2000)
  .nullish()
  .transform((given) => (given && isWebAddress(given) ? given : null));
const instant = z.iso
  .datetime({ offset: true })
  .transform((given) => new Date(given).toISOString())
  .nullish()
  .transform((given) => given ?? null);
const items = z
  .array(z.object({ sku: text, quantityShipped: z.int().min(1) }))
  .max(MOST_ITEMS)
  .nullish()
  .transform((given) => given ?? null);

const shipment = z.object({
  providerShipmentId: optional,
  trackingNumber: optional,
  trackingUrl: address,
  carrier: optional,
  shippedDate: instant,
  deliveredDate: instant,
  isCancelled: z.boolean().default(false),
  items,
});

const level = z
  .object({ sku: text, warehouseCode: optional, availableQuantity: z.int() })
  .transform((given): InventoryLevel => given);
export const levelsResponse = z.object({ levels: z.array(level).max(MOST_LEVELS) });

/** What is said of an order or a shipment of it. */
const orderData = shipment.extend({
  reference: text,
  statusDate: instant,
  errorMessage: optional,
});
type OrderData = z.output<typeof orderData>;

const message = z.object({
  type: text,
  data: z.looseObject({}).default({}),
});

export const orderResponse = z.object({
  reference: text,
  status: text,
  statusDate: instant,
  errorMessage: optional,
  shipments: z.array(shipment).max(100).default([]),
});

const statusOf = (
  { reference, statusDate, errorMessage }: OrderData,
  providerStatus: string,
  status: ProviderOrderStatus,
): StatusUpdate => ({
  providerReference: reference,
  providerStatus,
  mappedStatus: status,
  statusDate,
  errorMessage,
});

const shipmentOf = (data: OrderData, said: Partial<ShipmentUpdate> = {}): ShipmentUpdate => {
  const { reference: providerReference, statusDate: _, errorMessage: __, ...rest } = data;
  return { providerReference, ...rest, ...said };
};

type Said = Pick<FulfilmentUpdates, 'statusUpdates' | 'shipmentUpdates'>;
type Say = (data: OrderData, type: string, at: string) => Said;

const ofOrder =
  (status: ProviderOrderStatus): Say =>
  (data, type) => ({ statusUpdates: [statusOf(data, type, status)], shipmentUpdates: [] });

const ofShipment = (said: (data: OrderData, at: string) => Partial<ShipmentUpdate> = () => ({})): Say => {
  return (data, _, at) => ({ statusUpdates: [], shipmentUpdates: [shipmentOf(data, said(data, at))] });
};

/** A shipment that is named alone; without a name the whole order is meant. */
const ofNamedShipment =
  (status: ProviderOrderStatus, said: (data: OrderData, at: string) => Partial<ShipmentUpdate>): Say =>
  (data, type, at) =>
    data.providerShipmentId === null ? ofOrder(status)(data, type, at) : ofShipment(said)(data, type, at);

const isShipmentNamed = ({ providerShipmentId, trackingNumber, carrier, items: some }: OrderData): boolean =>
  providerShipmentId !== null || trackingNumber !== null || carrier !== null || some !== null;

const shipped = (data: OrderData, at: string): Partial<ShipmentUpdate> => ({
  shippedDate: data.shippedDate ?? data.statusDate ?? at,
});

/** Shipped as far as it says; the whole of it where it says nothing of what. */
const orderShipped: Say = (data, type, at) => {
  const shipmentUpdates = isShipmentNamed(data) ? [shipmentOf(data, shipped(data, at))] : [];
  const statusUpdates = data.items === null ? [statusOf(data, type, 'Shipped')] : [];
  return { statusUpdates, shipmentUpdates };
};

const delivered = ofNamedShipment('Completed', (data, at) => ({
  deliveredDate: data.deliveredDate ?? data.statusDate ?? at,
}));
const cancelled = ofNamedShipment('Cancelled', () => ({ isCancelled: true }));
/** A shipment cannot be on hold: its order is. */
const onHold = ofOrder('OnHold');

/**
 * By type, what a message means; `order.x` and `order_x` are the same
 * (docs/guides/writing-a-fulfilment-provider.md#callbacks).
 */
const meanings: Readonly<Record<string, Say>> = {
  'order.processing': ofOrder('Processing'),
  'order.shipped': orderShipped,
  'order.delivered': ofOrder('Completed'),
  'order.cancelled': ofOrder('Cancelled'),
  'order.on_hold': onHold,
  'shipment.created': ofShipment(),
  'shipment.updated': ofShipment(),
  'shipment.delivered': delivered,
  'order.shipment.delivered': delivered,
  'order.shipment.exception': onHold,
  'order.shipment.on_hold': onHold,
  'order.shipment.cancelled': cancelled,
  order_shipped: orderShipped,
  shipment_delivered: delivered,
  shipment_exception: onHold,
  shipment_onhold: onHold,
  shipment_cancelled: cancelled,
};

const INVENTORY = 'inventory.updated';

const problemOf = (error: z.ZodError, path: readonly PropertyKey[] = []): string => {
  const [issue] = error.issues;
  const where = [...path, ...(issue?.path ?? [])].map(String).join('.');
  return `${where === '' ? 'body' : where}: ${issue?.message ?? 'is not valid'}`;
};

const parsed = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
};

/** What a signed message says. An unknown type says nothing. */
export const readMessage = (body: Buffer, now: number): ReadFulfilmentCallback => {
  const whole = message.safeParse(parsed(body), { error: expectation });
  if (!whole.success) return { kind: 'malformed', message: problemOf(whole.error) };
  const { type: eventType, data } = whole.data;
  const none = { eventType, statusUpdates: [], shipmentUpdates: [], inventoryUpdates: [] };
  if (eventType === INVENTORY) {
    const levels = levelsResponse.safeParse(data, { error: expectation });
    if (!levels.success) return { kind: 'malformed', message: problemOf(levels.error, ['data']) };
    return { kind: 'updates', updates: { ...none, inventoryUpdates: levels.data.levels } };
  }
  const say = Object.hasOwn(meanings, eventType) ? meanings[eventType] : undefined;
  if (!say) return { kind: 'updates', updates: none };
  const of = orderData.safeParse(data, { error: expectation });
  if (!of.success) return { kind: 'malformed', message: problemOf(of.error, ['data']) };
  return { kind: 'updates', updates: { ...none, ...say(of.data, eventType, isoInstant(now)) } };
};

/** What a provider that was asked says of an order. */
export const polledUpdates = (answer: z.output<typeof orderResponse>): FulfilmentUpdates => {
  const { reference: providerReference, status, statusDate, errorMessage, shipments } = answer;
  const mapped = mappedStatus(status);
  return {
    eventType: 'order.polled',
    statusUpdates: [
      { providerReference, providerStatus: status, mappedStatus: mapped, statusDate, errorMessage },
    ],
    shipmentUpdates: shipments.map((one) => ({ providerReference, ...one })),
    inventoryUpdates: [],
  };
};

const testable = (eventType: string, displayName: string, description: string): TestableEvent => ({
  eventType,
  displayName,
  description,
});

export const testableEvents: readonly TestableEvent[] = [
  testable('order.processing', 'Order processing', 'The order is being picked and packed.'),
  testable('order.shipped', 'Order shipped', 'Everything that is left of the order has been sent.'),
  testable('order.delivered', 'Order delivered', 'The whole order has arrived.'),
  testable('order.cancelled', 'Order cancelled', 'The order will not be sent.'),
  testable('order.on_hold', 'Order on hold', 'Something keeps the order from being sent.'),
  testable('shipment.created', 'Shipment created', 'A shipment is being prepared, or has been sent.'),
  testable('shipment.updated', 'Shipment updated', 'The tracking of a shipment has changed.'),
  testable('shipment.delivered', 'Shipment delivered', 'A shipment has arrived.'),
  testable('inventory.updated', 'Inventory updated', 'Stock has been counted.'),
];

/** A message as the provider would send it. */
export const testMessage = (update: TestUpdate, now: number): string => {
  const { eventType, providerReference, ...shipmentData } = update;
  const data =
    eventType === INVENTORY ? { levels: [] } : { reference: providerReference ?? 'TEST', ...shipmentData };
  return JSON.stringify({ type: eventType, timestamp: isoInstant(now), data });
};
