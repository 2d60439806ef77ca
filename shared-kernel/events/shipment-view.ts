import type { EventOfType } from '#kernel/event.ts';
import type { ShipmentStatus } from '#values/shipment-transitions.ts';
import type { InvoiceEvent } from './invoice.events.ts';
import type { OrderContent, OrderLine, OrderStatus } from './invoice.fields.ts';
import type { ShipmentLine } from './shipment.shapes.ts';

/** Goods of an order on their way, or about to be, as the events of their invoice tell it. */
export interface Shipment {
  readonly shipmentId: string;
  readonly orderId: string;
  readonly warehouseId: string | null;
  readonly lines: readonly ShipmentLine[];
  readonly status: ShipmentStatus;
  readonly carrier: string | null;
  readonly trackingNumber: string | null;
  readonly trackingUrl: string | null;
  /** As a fulfilment provider calls it. */
  readonly providerShipmentId: string | null;
  /** ISO instants. */
  readonly createdAt: string;
  readonly shippedDate: string | null;
  readonly actualDeliveryDate: string | null;
}

type Data<Type extends InvoiceEvent['type']> = EventOfType<InvoiceEvent, Type>['data'];
type Shipments = readonly Shipment[];

export const withCreated = (
  shipments: Shipments,
  { by: _, ...shipment }: Data<'ShipmentCreated'>,
): Shipments => [
  ...shipments,
  { ...shipment, status: 'Preparing', shippedDate: null, actualDeliveryDate: null },
];

const changed = (
  shipments: Shipments,
  shipmentId: string,
  change: (shipment: Shipment) => Partial<Shipment>,
): Shipments => shipments.map((one) => (one.shipmentId === shipmentId ? { ...one, ...change(one) } : one));

export const withChanged = (
  shipments: Shipments,
  { shipmentId, carrier, trackingNumber, trackingUrl, actualDeliveryDate }: Data<'ShipmentChanged'>,
): Shipments =>
  changed(shipments, shipmentId, () => ({ carrier, trackingNumber, trackingUrl, actualDeliveryDate }));

export const withStatusChanged = (
  shipments: Shipments,
  { shipmentId, to: status, at, carrier, trackingNumber, trackingUrl }: Data<'ShipmentStatusChanged'>,
): Shipments =>
  changed(shipments, shipmentId, ({ shippedDate, actualDeliveryDate }) => ({
    ...{ status, carrier, trackingNumber, trackingUrl },
    shippedDate: status === 'Shipped' ? at : shippedDate,
    actualDeliveryDate: status === 'Delivered' ? (actualDeliveryDate ?? at) : actualDeliveryDate,
  }));

/** What is sent at all: products and things by hand, not files. */
export const isShippable = ({ isDigital }: OrderLine): boolean => !isDigital;

/** Units by line. */
export const unitsOf = (lines: readonly ShipmentLine[]): ReadonlyMap<string, number> => {
  const units = new Map<string, number>();
  for (const { lineId, quantity } of lines) units.set(lineId, (units.get(lineId) ?? 0) + quantity);
  return units;
};

/** Those of an order that count: a cancelled one counts for nothing. */
export const standingOf = (shipments: Shipments, orderId: string): Shipments =>
  shipments.filter((shipment) => shipment.orderId === orderId && shipment.status !== 'Cancelled');

export const linesOf = (shipments: Shipments): readonly ShipmentLine[] =>
  shipments.flatMap(({ lines }) => lines);

const isSent = ({ status }: Shipment): boolean => status !== 'Preparing';

/** Where its shipments put an order; null where they say nothing, as none of them stands. */
export const statusByShipments = (order: OrderContent, shipments: Shipments): OrderStatus | null => {
  const standing = standingOf(shipments, order.orderId);
  if (standing.length === 0) return null;
  const sent = unitsOf(linesOf(standing.filter(isSent)));
  const isAllSent = order.lines
    .filter(isShippable)
    .every(({ id, quantity }) => (sent.get(id) ?? 0) >= quantity);
  if (isAllSent) return standing.every(({ status }) => status === 'Delivered') ? 'Completed' : 'Shipped';
  return sent.size > 0 ? 'PartiallyShipped' : 'Processing';
};
