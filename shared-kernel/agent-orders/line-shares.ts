import type { AgentLine } from '#events/agent-session.events.ts';
import type { OrderLine } from '#events/invoice.fields.ts';
import type { AgentOrderDocument, LineUnits, ListedLine, ShippingEvent } from './agent-order.document.ts';

/** A line of the order as agents see it. */
export interface ShownLine {
  readonly id: string;
  /** As the agent named it; what it did not ask for has the id of its product. */
  readonly itemId: string;
}

/** Units of lines as agents see them. */
export interface ShownUnits {
  readonly id: string;
  readonly quantity: number;
}

/**
 * One line of the basket: the lines of the invoice that it became, one for each warehouse, and the lines of the session
 * that it stands for. Its units are counted from 0 along both.
 */
export interface Share {
  readonly lines: readonly ShownLine[];
  /** Where the units of each line of the session end. */
  readonly ends: readonly number[];
  readonly parts: readonly { readonly listed: ListedLine; readonly from: number; readonly units: number }[];
}

/** Session lines take their units in order; the last has what is left. */
const endsOf = (asked: readonly { readonly quantity: number }[]): readonly number[] => {
  let end = 0;
  return asked.map(({ quantity }, index) => (index === asked.length - 1 ? Infinity : (end += quantity)));
};

const partsOf = (listed: readonly ListedLine[], unitsNow: ReadonlyMap<string, number>): Share['parts'] => {
  let from = 0;
  return listed.map((one) => {
    const part = { listed: one, from, units: unitsNow.get(one.line.id) ?? 0 };
    from += part.units;
    return part;
  });
};

const itself = ({ line }: ListedLine): ShownLine => ({ id: line.id, itemId: line.productId ?? line.sku });

/** What an edit has added came of none: it is its own. */
export const basketLineOf = ({ id, basketLineId }: Pick<OrderLine, 'id' | 'basketLineId'>): string =>
  basketLineId ?? id;

/** Lines that came of the same line of a basket stand for the session's lines of that product, once. */
export const sharesOf = (
  { lines, content }: Pick<AgentOrderDocument, 'lines' | 'content'>,
  asked: readonly AgentLine[],
): readonly Share[] => {
  const unitsNow = new Map(
    content.orders.flatMap((order) => order.lines.map(({ id, quantity }) => [id, quantity])),
  );
  const left = Map.groupBy(asked, ({ productId }) => productId);
  const together = Map.groupBy(lines, ({ line }) => basketLineOf(line));
  return [...together.values()].flatMap((listed) => {
    const [first] = listed;
    if (!first) return [];
    const { basketLineId, productId } = first.line;
    const sharing = (basketLineId !== null && productId !== null && left.get(productId)) || [];
    if (productId !== null && sharing.length > 0) left.delete(productId);
    return {
      lines:
        sharing.length > 0 ? sharing.map(({ lineId, itemId }) => ({ id: lineId, itemId })) : [itself(first)],
      ends: sharing.length > 0 ? endsOf(sharing) : [Infinity],
      parts: partsOf(listed, unitsNow),
    };
  });
};

/** Units from a place on, by the lines that they belong to. */
export const unitsFrom = ({ lines, ends }: Share, from: number, units: number): readonly number[] =>
  lines.map((_, index) => {
    const start = Math.max(from, ends[index - 1] ?? 0);
    return Math.max(0, Math.min(from + units, ends[index] ?? 0) - start);
  });

/** Adds up, place by place. */
export const summed = (rows: readonly (readonly number[])[], length: number): readonly number[] =>
  Array.from({ length }, (_, place) => rows.reduce((sum, row) => sum + (row[place] ?? 0), 0));

/** By line of the invoice: where its units begin, and whose they are. */
export type Places = ReadonlyMap<
  string,
  { readonly share: Share; readonly from: number; readonly units: number }
>;

export const placesOf = (shares: readonly Share[]): Places =>
  new Map(
    shares.flatMap((share) =>
      share.parts.map(({ listed, from, units }) => [listed.line.id, { share, from, units }]),
    ),
  );

const added = (shown: Map<string, number>, { lines }: Share, counts: readonly number[], sign: number): void =>
  counts.forEach((count, index) => {
    const id = lines[index]?.id;
    if (id !== undefined && count > 0) shown.set(id, (shown.get(id) ?? 0) + sign * count);
  });

const rowsOf = (shown: ReadonlyMap<string, number>): readonly ShownUnits[] =>
  [...shown].map(([id, quantity]) => ({ id, quantity }));

/** Units of lines of the invoice as units of lines as agents see them; with their sign. */
export const shownUnits = (places: Places, units: readonly LineUnits[]): readonly ShownUnits[] => {
  const shown = new Map<string, number>();
  for (const { lineId, quantity, from } of units) {
    const place = places.get(lineId);
    if (!place) continue;
    const counts = unitsFrom(place.share, from ?? place.from, Math.abs(quantity));
    added(shown, place.share, counts, Math.sign(quantity));
  }
  return rowsOf(shown);
};

/** Takes units where there are some left, the first first. */
const takenFrom = (left: readonly number[], units: number): readonly number[] => {
  let wanted = units;
  return left.map((count, index) => {
    const taken = index === left.length - 1 ? wanted : Math.min(count, wanted);
    wanted -= taken;
    return taken;
  });
};

/** By line of the invoice, units of the lines as agents see them. */
type Counts = ReadonlyMap<string, readonly number[]>;

const changed = (before: Counts, by: Counts, sign: 1 | -1): Counts =>
  new Map([
    ...before,
    ...[...by].map(
      ([lineId, counts]) =>
        [lineId, counts.map((count, index) => (before.get(lineId)?.[index] ?? 0) + sign * count)] as const,
    ),
  ]);

const packedFrom = (left: Counts, lines: readonly LineUnits[]): Counts =>
  new Map(lines.map(({ lineId, quantity }) => [lineId, takenFrom(left.get(lineId) ?? [], quantity)]));

const shownIn = (places: Places, packed: Counts): readonly ShownUnits[] => {
  const shown = new Map<string, number>();
  for (const [lineId, counts] of packed) {
    const place = places.get(lineId);
    if (place) added(shown, place.share, counts, 1);
  }
  return rowsOf(shown);
};

/** By shipment, the units in it as units of lines as agents see them. What is called off can be sent once more. */
export const parcelUnits = (
  places: Places,
  events: readonly ShippingEvent[],
): ReadonlyMap<string, readonly ShownUnits[]> => {
  let left: Counts = new Map(
    [...places].map(([id, { share, from, units }]) => [id, unitsFrom(share, from, units)]),
  );
  const parcels = new Map<string, Counts>();
  for (const { shipmentId, type, lines } of events) {
    const packed = parcels.get(shipmentId) ?? packedFrom(left, lines);
    if (!parcels.has(shipmentId)) left = changed(left, packed, -1);
    if (type === 'canceled') left = changed(left, packed, 1);
    parcels.set(shipmentId, packed);
  }
  return new Map([...parcels].map(([id, packed]) => [id, shownIn(places, packed)]));
};
