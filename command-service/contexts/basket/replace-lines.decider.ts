import { basketEvents, type BasketLine } from '#events/basket.events.ts';
import { unpricedLine, type BasketViewLine } from '#events/basket-view.ts';
import type { BasketPricing } from '#events/pricing.fields.ts';
import { Rejection } from '#kernel/rejection.ts';
import {
  checkStock,
  countItems,
  findGoods,
  MAX_LINE_QUANTITY,
  onSaleOnly,
  startBasket,
} from './basket-lines.decider.ts';
import type { ReplaceBasketLines } from './basket.commands.ts';
import type { BasketContext } from './basket.context.ts';
import { editableBasket, type BasketState, type BasketStreamEvent } from './basket.state.ts';
import { withConsequences, withLess } from './priced-change.ts';

const { BasketLinesReplaced } = basketEvents.create;

/** A line as it is to be; `before`: what it had where it was there, `added`: what it is where it was not. */
interface ReplacingLine {
  readonly line: BasketViewLine;
  readonly before: number;
  readonly added: BasketLine | null;
}

const replacing = (
  state: BasketState,
  lines: readonly BasketViewLine[],
  { productId, quantity }: ReplaceBasketLines['goods'][number],
  { products }: BasketContext,
): ReplacingLine => {
  const present = findGoods(lines, { productId });
  // What stays as it is may be what is not sold any more.
  if (present?.quantity === quantity) return { line: present, before: quantity, added: null };
  const product = onSaleOnly(products.get(productId) ?? null);
  if (quantity > MAX_LINE_QUANTITY) {
    const message = `quantity: a basket holds at most ${MAX_LINE_QUANTITY} of one product.`;
    throw new Rejection('quantity-too-large', message);
  }
  checkStock(state, product, quantity);
  return present
    ? { line: { ...present, quantity }, before: present.quantity, added: null }
    : { line: unpricedLine(product.line, quantity), before: 0, added: product.line };
};

const named = ({ lineId, productId, sku, name, quantity }: BasketViewLine) => ({
  ...{ lineId, productId, sku, name, quantity },
});

/** Everything that differs is one event, priced once (docs/rules/basket.md#replacing). */
export const replaceLines = (
  state: BasketState,
  { goods, startFor }: ReplaceBasketLines,
  context: BasketContext,
): BasketStreamEvent[] => {
  const found = editableBasket(state);
  const { basket, events } = found
    ? { basket: found.basket, events: [] }
    : startBasket(state, context.prices.currency, startFor);
  const wanted = goods.map((one) => replacing(state, basket.lines, one, context));
  const kept = new Set(wanted.map(({ line }) => line.lineId));
  const removed = basket.lines.filter(({ lineId }) => !kept.has(lineId)).map(named);
  const added = wanted.flatMap(({ line: { quantity }, added: line }) => (line ? [{ line, quantity }] : []));
  const changed = wanted.flatMap(({ line, before, added: isNew }) =>
    isNew || before === line.quantity ? [] : [{ ...named(line), oldQuantity: before }],
  );
  if (found && added.length + changed.length + removed.length === 0) return [];
  const order = new Map(basket.lines.map(({ lineId }, index) => [lineId, index]));
  const placeOf = ({ lineId }: BasketViewLine): number => order.get(lineId) ?? order.size;
  const lines = wanted.map(({ line }) => line).toSorted((one, other) => placeOf(one) - placeOf(other));
  const itemCount = countItems(lines);
  const referrals = basket.referrals.filter(({ lineId }) => kept.has(lineId));
  const change = (pricing: BasketPricing) => [
    BasketLinesReplaced({ added, changed, removed, itemCount, pricing }),
  ];
  const isLess = added.length === 0 && changed.every(({ quantity, oldQuantity }) => quantity < oldQuantity);
  const priced = isLess ? withLess : withConsequences;
  return [...events, ...priced({ ...basket, lines, referrals }, context, change)];
};
