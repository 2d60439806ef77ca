import type { Amounts } from '#events/invoice.fields.ts';
import type { Minor } from '#values/money.ts';

/** What an order came to, or would have. */
export interface OrderFigures {
  readonly inStoreCurrency: Amounts;
  readonly takenOff: ReadonlyMap<string, Minor>;
  readonly rules: ReadonlySet<string>;
}

/** Figures of the orders of a day, or of all. */
export interface SalesFigures {
  sales: Minor;
  discounts: Minor;
  /** Orders of which a discount took something off. */
  ordersTouched: number;
  /** Uses of rules: each once an order. */
  uses: number;
}

export interface SalesCompared {
  orders: number;
  readonly recorded: SalesFigures;
  readonly recomputed: SalesFigures;
}

/** Of the rule that is changed. */
export interface RuleCompared {
  readonly recorded: { uses: number; takenOff: Minor };
  readonly recomputed: { uses: number; takenOff: Minor };
}

const noFigures = (): SalesFigures => ({ sales: 0, discounts: 0, ordersTouched: 0, uses: 0 });

const add = (figures: SalesFigures, { inStoreCurrency, takenOff, rules }: OrderFigures): void => {
  figures.sales += inStoreCurrency.total;
  figures.discounts += inStoreCurrency.discount;
  if (takenOff.size > 0) figures.ordersTouched += 1;
  figures.uses += rules.size;
};

/** Adds up sales beside what they would have been, by business day. */
export const createComparison = (ruleId: string | null) => {
  const days = new Map<string, SalesCompared>();
  const rule: RuleCompared = {
    recorded: { uses: 0, takenOff: 0 },
    recomputed: { uses: 0, takenOff: 0 },
  };
  let ordersChanged = 0;
  const countRule = (side: RuleCompared['recorded'], { takenOff, rules }: OrderFigures): void => {
    if (ruleId === null || !rules.has(ruleId)) return;
    side.uses += 1;
    side.takenOff += takenOff.get(ruleId) ?? 0;
  };
  return {
    count: (day: string, recorded: OrderFigures, recomputed: OrderFigures): void => {
      const found = days.get(day) ?? { orders: 0, recorded: noFigures(), recomputed: noFigures() };
      days.set(day, found);
      found.orders += 1;
      add(found.recorded, recorded);
      add(found.recomputed, recomputed);
      countRule(rule.recorded, recorded);
      countRule(rule.recomputed, recomputed);
      if (recorded.inStoreCurrency.total !== recomputed.inStoreCurrency.total) ordersChanged += 1;
    },
    result: () => ({ days: Object.fromEntries(days), rule, ordersChanged }),
  };
};
