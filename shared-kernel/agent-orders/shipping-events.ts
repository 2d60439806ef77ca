import type { InvoiceEvent } from '#events/invoice.events.ts';
import { withChanged, withCreated, withStatusChanged } from '#events/shipment-view.ts';
import type { EventOfType, Recorded } from '#kernel/event.ts';
import type { ShipmentStatus } from '#values/shipment-transitions.ts';
import type { AgentOrderDocument, ShippingEvent } from './agent-order.document.ts';

type EventAs<Type extends InvoiceEvent['type']> = Recorded<EventOfType<InvoiceEvent, Type>>;

const wordOf: Readonly<Record<ShipmentStatus, ShippingEvent['type']>> = {
  Preparing: 'processing',
  Shipped: 'shipped',
  Delivered: 'delivered',
  Cancelled: 'canceled',
};

/** One more about a shipment that is there. */
const added = (
  document: AgentOrderDocument,
  { id, shipmentId, type, at }: Pick<ShippingEvent, 'id' | 'shipmentId' | 'type' | 'at'>,
): AgentOrderDocument => {
  const shipment = document.shipments.find((one) => one.shipmentId === shipmentId);
  if (!shipment) return document;
  const { lines, carrier, trackingNumber, trackingUrl } = shipment;
  const event = { id, shipmentId, type, at, lines, carrier, trackingNumber, trackingUrl };
  return { ...document, events: [...document.events, event] };
};

type Tracking = Pick<ShippingEvent, 'shipmentId' | 'carrier' | 'trackingNumber' | 'trackingUrl'>;

/** A number that comes later is that of everything that was said of its parcel. */
const tracked = (
  document: AgentOrderDocument,
  { shipmentId, carrier, trackingNumber, trackingUrl }: Tracking,
): AgentOrderDocument => ({
  ...document,
  events: document.events.map((event) =>
    event.shipmentId === shipmentId ? { ...event, carrier, trackingNumber, trackingUrl } : event,
  ),
});

/** What shipments make of an order of an agent. */
export const shippingFold = {
  ShipmentCreated: (document: AgentOrderDocument | null, { id, data }: EventAs<'ShipmentCreated'>) =>
    document &&
    added(
      { ...document, shipments: withCreated(document.shipments, data) },
      { id, shipmentId: data.shipmentId, type: 'processing', at: data.createdAt },
    ),
  ShipmentChanged: (document: AgentOrderDocument | null, { data }: EventAs<'ShipmentChanged'>) =>
    document && tracked({ ...document, shipments: withChanged(document.shipments, data) }, data),
  ShipmentStatusChanged: (
    document: AgentOrderDocument | null,
    { id, data }: EventAs<'ShipmentStatusChanged'>,
  ) => {
    if (!document) return document;
    const { shipmentId, to, at } = data;
    const moved = { ...document, shipments: withStatusChanged(document.shipments, data) };
    const event = { id, shipmentId, type: wordOf[to], at };
    return tracked(added(moved, event), data);
  },
  ShipmentDeleted: (
    document: AgentOrderDocument | null,
    { id, data: { shipmentId, wasCancelled, deletedAt } }: EventAs<'ShipmentDeleted'>,
  ) => {
    if (!document) return document;
    const said = wasCancelled
      ? document
      : added(document, { id, shipmentId, type: 'canceled', at: deletedAt });
    const shipments = said.shipments.filter((one) => one.shipmentId !== shipmentId);
    return { ...said, shipments };
  },
};
