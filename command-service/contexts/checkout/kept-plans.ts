import type { CommandDeps } from '#command/engine/service-deps.ts';
import { planShipping, type ShippingPlan } from '#command/pricing/shipping-plan.ts';
import type { BasketView } from '#events/basket-view.ts';
import type { Reference, SellableVariant } from '#reference/reference.ts';
import type { StockLevel } from '#values/stock-units.ts';
import type { FoundBasket } from './found-basket.ts';

/** What a plan is made from, beside its basket: what is replaced when it changes is compared by identity. */
interface Made {
  readonly plan: ShippingPlan;
  readonly holds: FoundBasket['holds'];
  readonly strategy: string;
  /** Of places, options and everything else but products, stock and discounts. */
  readonly changes: number;
  readonly variants: readonly (SellableVariant | undefined)[];
  readonly levels: readonly (StockLevel | undefined)[];
}

type Lines = BasketView['lines'];

const variantsOf = ({ catalogue }: Reference, lines: Lines): Made['variants'] =>
  lines.map(({ productId }) => catalogue.variant(productId));

const levelsOf = ({ stock }: Reference, variants: Made['variants']): Made['levels'] =>
  variants.flatMap((sellable) =>
    (sellable?.variant.stockRows ?? []).map(({ warehouseId }) =>
      stock.level(sellable?.variant.id ?? '', warehouseId),
    ),
  );

const areSame = <Value>(some: readonly Value[], others: readonly Value[]): boolean =>
  some.length === others.length && some.every((one, index) => one === others[index]);

/**
 * How baskets ship, kept as long as everything that it follows from is what it was: agents read a checkout more often
 * than they change it. A plan lives no longer than the state of its basket.
 */
export const createKeptPlans = ({ reference, settings }: Pick<CommandDeps, 'reference' | 'settings'>) => {
  const kept = new WeakMap<BasketView, Made>();
  return ({ basket, holds }: Pick<FoundBasket, 'basket' | 'holds'>): ShippingPlan => {
    const strategy = settings().shippingAutoSelectStrategy;
    const changes = reference.changes();
    const variants = variantsOf(reference, basket.lines);
    const levels = levelsOf(reference, variants);
    const made = kept.get(basket);
    const isStill =
      made?.holds === holds &&
      made.strategy === strategy &&
      made.changes === changes &&
      areSame(made.variants, variants) &&
      areSame(made.levels, levels);
    if (isStill) return made.plan;
    const plan = planShipping({ reference, settings }, basket, { holds });
    kept.set(basket, { plan, holds, strategy, changes, variants, levels });
    return plan;
  };
};
