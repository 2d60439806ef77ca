import type { ProtocolDiscounts, ProtocolTotal } from '#agents/protocol-parts.ts';
import type { AgentLine } from '#events/agent-session.events.ts';
import type { BasketView, BasketViewLine } from '#events/basket-view.ts';
import type { TakenDiscount } from '#events/pricing.fields.ts';
import { allocate, type Minor } from '#values/money.ts';

type Priced = Pick<BasketView, 'lines' | 'totals' | 'discounts' | 'choices'>;

/** A line of a session with its part of what the basket's line comes to. */
export interface LineFigures {
  readonly line: AgentLine;
  readonly of: BasketViewLine;
  /** All lines of the product: a shopper who goes on with a basket may have it once more with other add-ons. */
  readonly held: readonly BasketViewLine[];
  /** Of one unit, before discounts; on the average, where the basket has several lines of it. */
  readonly unitPrice: Minor;
  readonly subtotal: Minor;
  /** What discounts on products take off; positive. */
  readonly discount: Minor;
}

const sum = (amounts: Iterable<Minor>): Minor => {
  let total = 0;
  for (const amount of amounts) total += amount;
  return total;
};

const onProducts = new Set<TakenDiscount['category']>(['AmountOffProducts', 'BuyXGetY']);

const isOnLine = ({ category, lineId }: TakenDiscount): boolean =>
  lineId !== null && onProducts.has(category);

/** Its add-ons travel with a line: what they cost, and what is taken off them, is the line's. */
const idsOf = ({ lineId, addons = [] }: BasketViewLine): readonly string[] => [
  lineId,
  ...addons.map((addon) => addon.lineId),
];

const unitPriceOf = ({ unitPrice, addons = [] }: BasketViewLine): Minor =>
  unitPrice + sum(addons.map((addon) => addon.unitPrice));

const takenOff = (discounts: readonly TakenDiscount[], held: readonly BasketViewLine[]): Minor => {
  const ids = new Set(held.flatMap(idsOf));
  return sum(discounts.map((one) => (isOnLine(one) && ids.has(one.lineId ?? '') ? one.amount : 0)));
};

/** An amount of a basket's line for each line of the session that shares it, by quantity; exact in all. */
const shared = (amount: Minor, lines: readonly AgentLine[]): ReadonlyMap<string, Minor> => {
  const parts = allocate(
    amount,
    lines.map(({ quantity }) => quantity),
  );
  return new Map(lines.map(({ lineId }, index) => [lineId, parts[index] ?? 0]));
};

const sharers = (lines: readonly AgentLine[]): ReadonlyMap<string, readonly AgentLine[]> =>
  Map.groupBy(lines, ({ productId }) => productId);

/** What each line is before discounts; several lines of the basket are shared out, to the last penny. */
const subtotalsOf = (
  [of, ...others]: readonly [BasketViewLine, ...BasketViewLine[]],
  sharing: readonly AgentLine[],
): ReadonlyMap<string, Minor> => {
  if (others.length === 0)
    return new Map(sharing.map(({ lineId, quantity }) => [lineId, unitPriceOf(of) * quantity]));
  return shared(sum([of, ...others].map((line) => unitPriceOf(line) * line.quantity)), sharing);
};

/** The lines of a session as the basket prices them; those that it does not hold are left out. */
export const lineFiguresOf = (lines: readonly AgentLine[], basket: Priced): readonly LineFigures[] => {
  const heldOf = Map.groupBy(basket.lines, ({ productId }) => productId);
  const figures = new Map<string, LineFigures>();
  for (const [productId, sharing] of sharers(lines)) {
    const [of, ...others] = heldOf.get(productId) ?? [];
    if (!of) continue;
    const held = [of, ...others] as const;
    const subtotals = subtotalsOf(held, sharing);
    const discounts = shared(takenOff(basket.discounts, held), sharing);
    for (const line of sharing) {
      const subtotal = subtotals.get(line.lineId) ?? 0;
      const unitPrice = others.length === 0 ? unitPriceOf(of) : Math.round(subtotal / line.quantity);
      const discount = discounts.get(line.lineId) ?? 0;
      figures.set(line.lineId, { line, of, held, unitPrice, subtotal, discount });
    }
  }
  return lines.flatMap(({ lineId }) => figures.get(lineId) ?? []);
};

const unlessZero = (type: ProtocolTotal['type'], amount: Minor): ProtocolTotal[] =>
  amount === 0 ? [] : [{ type, amount }];

/** Of a line; amounts that lower the sum are negative. */
export const totalsOfLine = ({ subtotal, discount }: LineFigures): ProtocolTotal[] => [
  { type: 'subtotal', amount: subtotal },
  ...unlessZero('items_discount', discount === 0 ? 0 : -discount),
  { type: 'total', amount: subtotal - discount },
];

/** Of everything: all but the last add up to the last (docs/rules/agent-sessions.md#totals). */
export const totalsOfBasket = ({ totals, discounts, choices }: Priced): ProtocolTotal[] => {
  const { subTotal, productDiscount, shippingDiscount, shipping, tax, total } = totals;
  const onLines = sum(discounts.filter(isOnLine).map(({ amount }) => amount));
  const onOrder = productDiscount - onLines;
  const fulfilment = shipping - shippingDiscount;
  return [
    { type: 'subtotal', amount: subTotal },
    ...unlessZero('items_discount', onLines === 0 ? 0 : -onLines),
    ...unlessZero('discount', onOrder === 0 ? 0 : -onOrder),
    ...(choices.length > 0 ? [{ type: 'fulfillment', amount: fulfilment } as const] : []),
    { type: 'tax', amount: tax },
    { type: 'total', amount: total },
  ];
};

/** What one rule takes off each line of the session. */
const allocationsOf = (
  taken: readonly TakenDiscount[],
  figures: readonly LineFigures[],
): ProtocolDiscounts['applied'][number]['allocations'] => {
  const off = new Map<string, Minor>();
  for (const sharing of Map.groupBy(figures, ({ of }) => of.lineId).values()) {
    const amount = takenOff(taken, sharing[0]?.held ?? []);
    const parts = shared(
      amount,
      sharing.map(({ line }) => line),
    );
    for (const [lineId, part] of parts) off.set(lineId, part);
  }
  return figures.flatMap(({ line: { lineId } }, index) => {
    const amount = off.get(lineId) ?? 0;
    return amount > 0 ? [{ path: `$.line_items[${index}]`, amount }] : [];
  });
};

/**
 * The discounts in force, in the order in which they were applied. What is off the shipping is none: it lowers the
 * price of the option (docs/rules/agent-sessions.md#shipping).
 */
export const appliedDiscounts = (
  { discounts }: Pick<BasketView, 'discounts'>,
  figures: readonly LineFigures[],
): ProtocolDiscounts['applied'] => {
  const shown = discounts.filter(({ category }) => category !== 'FreeShipping');
  const rules = Map.groupBy(shown, ({ discountId }) => discountId);
  return [...rules.values()].flatMap((taken, index) => {
    const [first] = taken;
    if (!first) return [];
    const { name: title, code, category } = first;
    return [
      {
        ...(code !== null && { code }),
        title,
        amount: sum(taken.map(({ amount }) => amount)),
        isAutomatic: code === null,
        method: category === 'AmountOffOrder' ? ('across' as const) : ('each' as const),
        priority: index + 1,
        allocations: onProducts.has(category) ? allocationsOf(taken, figures) : [],
      },
    ];
  });
};
