import type { AgentLine } from '#events/agent-session.events.ts';

/** A line of a request whose product is known. */
export interface FoundLine {
  /** As an answer gave it. */
  readonly id?: string | undefined;
  readonly itemId: string;
  readonly productId: string;
  readonly quantity: number;
}

/**
 * The lines of a session after a request that names all of them: one that is meant keeps its id, found by that id, else
 * by the item; each at most once. What is left is new, and what was not named is gone.
 */
export const matchedLines = (
  before: readonly AgentLine[],
  wished: readonly FoundLine[],
  newLineId: (index: number) => string,
): AgentLine[] => {
  const free = new Map(before.map((line) => [line.lineId, line]));
  const take = (line: AgentLine | undefined): string | undefined => {
    if (line) free.delete(line.lineId);
    return line?.lineId;
  };
  const byId = wished.map(({ id }) => take(id === undefined ? undefined : free.get(id)));
  const ofItem = (itemId: string): AgentLine | undefined =>
    free.values().find((line) => line.itemId === itemId);
  return wished.map(({ itemId, productId, quantity }, index) => ({
    lineId: byId[index] ?? take(ofItem(itemId)) ?? newLineId(index),
    itemId,
    productId,
    quantity,
  }));
};

/** What the basket is to hold of each product, in the order in which they are first named: it has one line of each. */
export const unitsWanted = (
  lines: readonly Pick<AgentLine, 'productId' | 'quantity'>[],
): ReadonlyMap<string, number> => {
  const units = new Map<string, number>();
  for (const { productId, quantity } of lines) units.set(productId, (units.get(productId) ?? 0) + quantity);
  return units;
};

/**
 * The lines as a shopper has them who goes on with the basket: those of a product in which nothing has changed stay, of
 * any other the first one has all of its units, and what is new is a line of its own.
 */
export const linesInBasket = (
  lines: readonly AgentLine[],
  held: readonly Pick<AgentLine, 'lineId' | 'productId' | 'quantity'>[],
): AgentLine[] => {
  const units = unitsWanted(held);
  const known = unitsWanted(lines);
  const shown = new Set<string>();
  const kept = lines.flatMap((line) => {
    const { productId } = line;
    const quantity = units.get(productId);
    if (quantity === undefined) return [];
    if (quantity === known.get(productId)) return [line];
    if (shown.has(productId)) return [];
    shown.add(productId);
    return [{ ...line, quantity }];
  });
  const added = [...units].flatMap(([productId, quantity]) => {
    const line = known.has(productId) ? undefined : held.find((one) => one.productId === productId);
    return line ? [{ lineId: line.lineId, itemId: productId, productId, quantity }] : [];
  });
  return [...kept, ...added];
};
