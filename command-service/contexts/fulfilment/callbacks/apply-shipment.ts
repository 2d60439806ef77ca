import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { ShipmentLine } from '#events/shipment.shapes.ts';
import type { Shipment } from '#events/shipment-view.ts';
import { derivedId } from '#kernel/ids.ts';
import type { ShipmentStatus } from '#values/shipment-transitions.ts';
import type { ShipmentUpdate } from '#ports/fulfilment-provider.ts';
import type { KnownInvoice } from '../../invoices/invoice.state.ts';
import type { OrderShipmentsApi } from '../../invoices/fulfilment/shipment.commands.ts';
import { leftToShip, orderOf } from '../../invoices/fulfilment/shipments.state.ts';

interface Told {
  readonly invoice: KnownInvoice;
  readonly fulfilment: { readonly orderId: string };
}

type Items = NonNullable<ShipmentUpdate['items']>;

interface Packed {
  readonly lines: readonly ShipmentLine[];
  readonly unknown: readonly string[];
}

/** Spreads SKUs and quantities over lines: what is left of each first, any excess on the last. */
const packedLines = (invoice: KnownInvoice, orderId: string, items: Items): Packed => {
  const left = new Map(leftToShip(invoice, orderId).map(({ lineId, quantity }) => [lineId, quantity]));
  const lines = orderOf(invoice, orderId)?.lines ?? [];
  const taken = new Map<string, number>();
  const unknown: string[] = [];
  for (const { sku, quantityShipped } of items) {
    const ofSku = lines.filter((line) => line.sku === sku && !line.isDigital);
    const last = ofSku.at(-1);
    if (!last) {
      unknown.push(sku);
      continue;
    }
    let rest = quantityShipped;
    for (const { id } of ofSku) {
      const now = Math.min(rest, (left.get(id) ?? 0) - (taken.get(id) ?? 0));
      if (now <= 0) continue;
      taken.set(id, (taken.get(id) ?? 0) + now);
      rest -= now;
    }
    if (rest > 0) taken.set(last.id, (taken.get(last.id) ?? 0) + rest);
  }
  return { lines: [...taken].map(([lineId, quantity]) => ({ lineId, quantity })), unknown };
};

/** The same for the same shipment of a provider, so that a repeat makes no second one. */
const shipmentIdOf = (orderId: string, { providerShipmentId }: ShipmentUpdate): string =>
  derivedId('provider-shipment', orderId, providerShipmentId ?? '');

const knownShipment = (
  { shipments }: KnownInvoice,
  orderId: string,
  update: ShipmentUpdate,
): Shipment | undefined => {
  const { providerShipmentId } = update;
  const own = shipmentIdOf(orderId, update);
  return shipments.find(
    (one) =>
      one.orderId === orderId &&
      (one.shipmentId === own ||
        (providerShipmentId !== null && one.providerShipmentId === providerShipmentId)),
  );
};

type Orders = Pick<
  OrderShipmentsApi,
  'createShipment' | 'changeShipment' | 'setShipmentStatus' | 'moveOrder'
>;

/** Moves a shipment to the status that the provider reports. */
const advance = async (
  orders: Orders,
  { shipmentId, status }: Shipment,
  { shippedDate, deliveredDate, isCancelled }: ShipmentUpdate,
  meta: CommandMeta,
): Promise<string> => {
  const move = (newStatus: ShipmentStatus) =>
    orders.setShipmentStatus({ shipmentId, newStatus, isByProvider: true }, meta);
  if (isCancelled) {
    await move('Cancelled');
    return `The shipment ${shipmentId} is Cancelled.`;
  }
  const isGone = shippedDate !== null || deliveredDate !== null;
  if (isGone && status === 'Preparing') await move('Shipped');
  if (deliveredDate === null) return `The shipment ${shipmentId} is ${isGone ? 'Shipped' : status}.`;
  await move('Delivered');
  return `The shipment ${shipmentId} is Delivered.`;
};

/** Applies what a provider reports about a shipment, which it may have created itself. */
export const applyShipment = async (
  orders: Orders,
  { invoice, fulfilment: { orderId } }: Told,
  update: ShipmentUpdate,
  note: (text: string) => Promise<void>,
  meta: CommandMeta,
): Promise<string> => {
  const { carrier, trackingNumber, trackingUrl, providerShipmentId, items, shippedDate } = update;
  const tracking = { carrier, trackingNumber, trackingUrl };
  const known = knownShipment(invoice, orderId, update);
  if (known) {
    const { shipment } = await orders.changeShipment({ shipmentId: known.shipmentId, ...tracking }, meta);
    return advance(orders, shipment, update, meta);
  }
  if (update.isCancelled) return 'A shipment that the shop does not know is cancelled.';
  if (providerShipmentId === null && items === null && shippedDate !== null) {
    await orders.moveOrder({ orderId, status: 'Shipped', ...tracking }, meta);
    return `The order ${orderId} is Shipped.`;
  }
  const packed = items === null ? null : packedLines(invoice, orderId, items);
  for (const sku of packed?.unknown ?? [])
    await note(`The fulfilment provider has shipped ${sku}, which is not of this order.`);
  if (packed?.lines.length === 0) return 'Nothing of the order was shipped.';
  const named = providerShipmentId === null ? {} : { providerShipmentId };
  const made = await orders.createShipment(
    {
      ...{ shipmentId: shipmentIdOf(orderId, update), orderId, lines: packed?.lines ?? null },
      ...{ isCut: true, ...named, ...tracking },
    },
    meta,
  );
  return advance(orders, made.shipment, update, meta);
};
