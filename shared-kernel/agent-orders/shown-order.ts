import type { Adjustment, ProtocolOrder } from '#agents/protocol-order.ts';
import type { ProtocolAddress, ProtocolItem } from '#agents/protocol-parts.ts';
import type { OrderContent, OrderLine } from '#events/invoice.fields.ts';
import { isShippable } from '#events/shipment-view.ts';
import { defined } from '#kernel/defined.ts';
import type { Address } from '#values/address.ts';
import { allocate } from '#values/money.ts';
import { wholeName } from '#values/named-goods.ts';
import type { AgentOrderDocument } from './agent-order.document.ts';
import {
  parcelUnits,
  placesOf,
  sharesOf,
  shownUnits,
  summed,
  unitsFrom,
  type Places,
  type Share,
  type ShownUnits,
} from './line-shares.ts';
import { amountsOfLine, isSentForNothing, totalsOfLine, totalsOfOrder } from './order-figures.ts';
import type { PlacedOrder } from './order-owner.ts';

type Line = ProtocolOrder['lines'][number];
type Parcels = ReadonlyMap<string, readonly ShownUnits[]>;

/** What stands outside an order and is shown with it. */
export interface OrderSurroundings {
  readonly permalinkUrl: string;
  /** The address of a picture of a product; null: there is none. */
  readonly imageOf: (productId: string) => string | null;
}

const isCancelled = ({ orderStatuses }: AgentOrderDocument, { orderId }: Pick<OrderContent, 'orderId'>) =>
  orderStatuses[orderId] === 'Cancelled';

const statusOf = ({ total, fulfilled }: Line['quantity']): Line['status'] => {
  if (total === 0) return 'removed';
  if (fulfilled >= total) return 'fulfilled';
  return fulfilled > 0 ? 'partial' : 'processing';
};

/** Units that have left, by line as agents see it. */
const sentUnits = ({ shipments }: AgentOrderDocument, parcels: Parcels): ReadonlyMap<string, number> => {
  const sent = new Map<string, number>();
  for (const { shipmentId, status } of shipments) {
    if (status !== 'Shipped' && status !== 'Delivered') continue;
    for (const { id, quantity } of parcels.get(shipmentId) ?? [])
      sent.set(id, (sent.get(id) ?? 0) + quantity);
  }
  return sent;
};

/** The parts of a share that are still to be had, or have been: not those of orders that are cancelled. */
const standingParts = (document: AgentOrderDocument, { parts }: Share): Share['parts'] => {
  const standing = new Set(
    document.content.orders
      .filter((order) => !isCancelled(document, order))
      .flatMap(({ lines }) => lines.map(({ id }) => id)),
  );
  return parts.filter(({ listed }) => standing.has(listed.line.id));
};

const amountsOfShare = ({ content }: AgentOrderDocument, { parts }: Share) => {
  const ids = new Set(parts.map(({ listed }) => listed.line.id));
  const held = content.orders.flatMap((order) =>
    order.lines.filter(({ id }) => ids.has(id)).map((line) => amountsOfLine(content, order, line)),
  );
  return {
    subtotal: held.reduce((sum, { subtotal }) => sum + subtotal, 0),
    discount: held.reduce((sum, { discount }) => sum + discount, 0),
  };
};

/** A file is delivered with the sale: it can be downloaded from then on. */
const isDelivered = ({ isConfirmed }: AgentOrderDocument, { isDigital }: OrderLine): boolean =>
  isConfirmed && isDigital;

const pictureOf = (
  { productId }: OrderLine,
  { imageOf }: Pick<OrderSurroundings, 'imageOf'>,
): Pick<ProtocolItem, 'imageUrl'> =>
  defined({ imageUrl: (productId === null ? null : imageOf(productId)) ?? undefined });

const linesOfShare = (
  document: AgentOrderDocument,
  share: Share,
  sent: ReadonlyMap<string, number>,
  surroundings: OrderSurroundings,
): readonly Line[] => {
  const { lines, parts } = share;
  const [first] = parts;
  if (!first) return [];
  const { line } = first.listed;
  const sold = parts.reduce((sum, { listed }) => sum + listed.sold, 0);
  const originals = unitsFrom(share, 0, sold);
  const held = summed(
    parts.map(({ from, units }) => unitsFrom(share, from, units)),
    lines.length,
  );
  const totals = summed(
    standingParts(document, share).map(({ from, units }) => unitsFrom(share, from, units)),
    lines.length,
  );
  const amounts = amountsOfShare(document, share);
  const subtotals = allocate(amounts.subtotal, held);
  const discounts = allocate(amounts.discount, subtotals);
  const unitPrice = [line, ...(line.addons ?? [])].reduce((sum, piece) => sum + piece.unitPrice, 0);
  const goods = { title: wholeName(line), price: unitPrice, ...pictureOf(line, surroundings) };
  return lines.map(({ id, itemId }, index) => {
    const total = totals[index] ?? 0;
    const fulfilled = isDelivered(document, line) ? total : Math.min(total, sent.get(id) ?? 0);
    const quantity = { original: originals[index] ?? 0, total, fulfilled };
    return {
      id,
      item: { id: itemId, ...goods },
      quantity,
      totals: totalsOfLine({ subtotal: subtotals[index] ?? 0, discount: discounts[index] ?? 0 }),
      status: statusOf(quantity),
    };
  });
};

/** One name is split at its last blank. */
const namesOf = (name: string): Pick<ProtocolAddress, 'firstName' | 'lastName'> => {
  const blank = name.lastIndexOf(' ');
  const [first, last] = [name.slice(0, Math.max(blank, 0)), name.slice(blank + 1)];
  return blank < 0 ? defined({ firstName: last || undefined }) : { firstName: first, lastName: last };
};

const destinationOf = (address: Address): ProtocolAddress => ({
  ...namesOf(address.name),
  ...defined({
    addressOne: address.addressOne || undefined,
    addressTwo: address.addressTwo ?? undefined,
    townCity: address.townCity || undefined,
    region: address.regionCode ?? address.countyState ?? undefined,
    postalCode: address.postalCode || undefined,
    countryCode: address.countryCode || undefined,
    phone: address.phone ?? undefined,
  }),
});

/** What the buyer may expect of each group: what is sent together, and files. */
const expectationsOf = (document: AgentOrderDocument, places: Places): ProtocolOrder['expectations'] => {
  const { content, shippingAddress } = document;
  const free = isSentForNothing(content) ? 'Free ' : '';
  const unitsOf = (lines: readonly OrderLine[]): readonly ShownUnits[] =>
    shownUnits(
      places,
      lines.map(({ id: lineId, quantity }) => ({ lineId, quantity })),
    );
  return content.orders
    .filter((order) => !isCancelled(document, order))
    .flatMap(({ orderId: id, shippingServiceName, lines }) => {
      const sent = unitsOf(lines.filter(isShippable));
      const files = unitsOf(lines.filter((line) => !isShippable(line)));
      const destination = shippingAddress && destinationOf(shippingAddress);
      return [
        ...(sent.length > 0
          ? [
              {
                ...{ id, lines: sent, method: 'shipping' as const, destination },
                description: `${free}${shippingServiceName ?? 'Shipping'}`,
              },
            ]
          : []),
        ...(files.length > 0
          ? [
              {
                ...{ id: `${id}-digital`, lines: files, method: 'digital' as const, destination: null },
                description: 'Digital delivery',
              },
            ]
          : []),
      ];
    });
};

const eventsOf = (document: AgentOrderDocument, parcels: Parcels): ProtocolOrder['events'] =>
  document.events.map(({ id, shipmentId, type, at, ...tracking }) => ({
    id,
    occurredAt: at,
    type,
    lines: parcels.get(shipmentId) ?? [],
    ...defined({
      trackingNumber: tracking.trackingNumber ?? undefined,
      trackingUrl: tracking.trackingUrl ?? undefined,
      carrier: tracking.carrier ?? undefined,
    }),
  }));

/** What a test has said replaces what is there, or comes behind it. */
const withAmendments = <One extends { readonly id: string }>(
  all: readonly One[],
  amended: Readonly<Record<string, NoInfer<One>>>,
): readonly One[] => {
  const known = new Set(all.map(({ id }) => id));
  return [
    ...all.map((one) => amended[one.id] ?? one),
    ...Object.values(amended).filter(({ id }) => !known.has(id)),
  ];
};

/** An order as agents are shown it (docs/rules/agent-orders.md). */
export const shownOrder = (
  { order: document, session, attribution }: PlacedOrder,
  surroundings: OrderSurroundings,
): ProtocolOrder => {
  const shares = sharesOf(document, session.lines);
  const places = placesOf(shares);
  const parcels = parcelUnits(places, document.events);
  const sent = sentUnits(document, parcels);
  const { content } = document;
  return {
    capabilities: ['dev.ucp.shopping.order'],
    id: document._id,
    checkoutId: session._id,
    permalinkUrl: surroundings.permalinkUrl,
    label: document.invoiceNumber,
    currency: content.currency,
    lines: shares.flatMap((share) => linesOfShare(document, share, sent, surroundings)),
    expectations: expectationsOf(document, places),
    events: withAmendments(eventsOf(document, parcels), document.amended.events),
    adjustments: withAmendments<Adjustment>(
      document.adjustments.map(({ at, lines, ...adjustment }) => ({
        ...adjustment,
        occurredAt: at,
        lines: shownUnits(places, lines),
      })),
      Object.fromEntries(
        Object.entries(document.amended.adjustments).map(([id, one]) => [id, { ...one, amount: null }]),
      ),
    ),
    totals: totalsOfOrder(content),
    attribution,
  };
};
