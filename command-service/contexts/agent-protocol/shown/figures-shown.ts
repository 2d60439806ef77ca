import type { ProtocolDiscounts, ProtocolTotal } from '#agents/protocol-parts.ts';
import { figuresOf, type BasketView } from '#events/basket-view.ts';
import { stepOf } from '#values/currency.ts';
import { displayAmount, displayFigures, type Figures, type Presentation } from '#values/exchange.ts';
import { allocate, withRest, type Minor } from '#values/money.ts';
import {
  appliedDiscounts,
  lineFiguresOf,
  totalsOfBasket,
  type LineFigures,
} from '../sessions/session-figures.ts';
import type { AgentLine } from '#events/agent-session.events.ts';

type Priced = Pick<BasketView, 'lines' | 'totals' | 'discounts' | 'choices'>;
type Applied = ProtocolDiscounts['applied'];

/** What lines and their basket come to, in the currency of the session or cart. */
export interface ShownFigures {
  readonly lines: readonly LineFigures[];
  readonly totals: readonly ProtocolTotal[];
  readonly applied: Applied;
}

const sum = (amounts: readonly Minor[]): Minor => amounts.reduce((all, amount) => all + amount, 0);

const amountOf = (totals: readonly ProtocolTotal[], type: ProtocolTotal['type']): Minor =>
  totals.find((total) => total.type === type)?.amount ?? 0;

/** What is nothing does not stand there. */
const isLeftOut: ReadonlySet<ProtocolTotal['type']> = new Set(['items_discount', 'discount']);

/** `lineOff`: what products' discounts take off each line; `orderOff`: what all other discounts take off. */
interface Off {
  readonly lineOff: readonly Minor[];
  readonly orderOff: Minor;
}

/** Each discount again, so that lines and order have exactly what is off them. */
const appliedShown = (applied: Applied, { lineOff, orderOff }: Off): Applied => {
  const placeOf = (path: string): number => Number(/\d+/.exec(path)?.[0]);
  const ofLine = (index: number): Minor[] => {
    const cells = applied.map(
      ({ allocations }) => allocations.find(({ path }) => placeOf(path) === index)?.amount ?? 0,
    );
    return allocate(lineOff[index] ?? 0, cells);
  };
  const cells = lineOff.map((_, index) => ofLine(index));
  const onOrder = allocate(
    orderOff,
    applied.map(({ amount, allocations }) => (allocations.length === 0 ? amount : 0)),
  );
  return applied.map((one, rule) => {
    if (one.allocations.length === 0) return { ...one, amount: onOrder[rule] ?? 0 };
    const allocations = one.allocations.flatMap(({ path }) => {
      const amount = cells[placeOf(path)]?.[rule] ?? 0;
      return amount === 0 ? [] : [{ path, amount }];
    });
    return { ...one, allocations, amount: sum(allocations.map(({ amount }) => amount)) };
  });
};

/** What is shown to be off the shipping; the rest of what is off is off the goods. */
const offShipping = (
  { productDiscount, shippingDiscount }: BasketView['totals'],
  { discount, shipping }: Figures,
  goods: Minor,
): Minor => {
  if (productDiscount === 0) return discount;
  return shippingDiscount === 0 ? 0 : Math.min(shipping, discount - Math.min(discount, goods));
};

/**
 * The figures of the store's currency in another, as the storefront shows them: each rounded by itself, and what that
 * leaves goes where all of them still add up (docs/rules/agent-sessions.md#currency).
 */
const converted = (
  figures: readonly LineFigures[],
  basket: Priced,
  { storeCurrency, display }: Presentation,
): ShownFigures => {
  const shown = (amount: Minor): Minor => displayAmount(amount, storeCurrency, display);
  const inStore = totalsOfBasket(basket);
  const whole = displayFigures(figuresOf(basket), storeCurrency, display);
  const shippingOff = offShipping(basket.totals, whole, shown(basket.totals.productDiscount));
  const goodsOff = whole.discount - shippingOff;
  const isOnlyOnLines = amountOf(inStore, 'discount') === 0;
  const itemsOff = isOnlyOnLines ? goodsOff : Math.min(goodsOff, shown(-amountOf(inStore, 'items_discount')));
  const lineOff = allocate(
    itemsOff,
    figures.map(({ discount }) => discount),
  );
  // A discount is never more than its line.
  const nets = withRest(
    figures.map(({ subtotal, discount }) => shown(subtotal - discount)),
    whole.subTotal - itemsOff,
  );
  const orderOff = goodsOff - itemsOff;
  const amounts: Readonly<Partial<Record<ProtocolTotal['type'], Minor>>> = {
    subtotal: whole.subTotal,
    items_discount: -itemsOff,
    discount: -orderOff,
    fulfillment: whole.shipping - shippingOff,
    tax: whole.tax,
    total: whole.total,
  };
  return {
    lines: figures.map((one, index) => {
      const discount = lineOff[index] ?? 0;
      const subtotal = (nets[index] ?? 0) + discount;
      return { ...one, unitPrice: shown(one.unitPrice), subtotal, discount };
    }),
    totals: inStore.flatMap(({ type }) => {
      const amount = amounts[type] ?? 0;
      return amount === 0 && isLeftOut.has(type) ? [] : [{ type, amount }];
    }),
    applied: appliedShown(appliedDiscounts(basket, figures), { lineOff, orderOff }),
  };
};

/** The figures of lines and of the basket that prices them, as they are shown. */
export const figuresShown = (
  lines: readonly AgentLine[],
  basket: Priced,
  presentation: Presentation,
): ShownFigures => {
  const figures = lineFiguresOf(lines, basket);
  const { storeCurrency, display } = presentation;
  if (display.currency === storeCurrency && stepOf(storeCurrency) === 1)
    return {
      lines: figures,
      totals: totalsOfBasket(basket),
      applied: appliedDiscounts(basket, figures),
    };
  return converted(figures, basket, presentation);
};
