import type { CommandDeps } from '#command/engine/service-deps.ts';
import { planShipping, type ShippingPlan } from '#command/pricing/shipping-plan.ts';
import type { BasketView } from '#events/basket-view.ts';
import { areSame, knownGoods } from '#reference/known-goods.ts';
import type { FoundBasket } from './found-basket.ts';

interface Made {
  readonly plan: ShippingPlan;
  /** What it is made from, beside its basket. */
  readonly sources: readonly unknown[];
}

/**
 * How baskets ship, kept as long as everything that it follows from is what it was: agents read a checkout more often
 * than they change it. A plan lives no longer than the state of its basket.
 */
export const createKeptPlans = ({ reference, settings }: Pick<CommandDeps, 'reference' | 'settings'>) => {
  const kept = new WeakMap<BasketView, Made>();
  return ({ basket, holds }: Pick<FoundBasket, 'basket' | 'holds'>): ShippingPlan => {
    const productIds = basket.lines.map(({ productId }) => productId);
    const strategy = settings().shippingAutoSelectStrategy;
    const sources = [holds, strategy, reference.changes(), ...knownGoods(reference, productIds)];
    const made = kept.get(basket);
    if (made && areSame(made.sources, sources)) return made.plan;
    const plan = planShipping({ reference, settings }, basket, { holds });
    kept.set(basket, { plan, sources });
    return plan;
  };
};

export type KeptPlans = ReturnType<typeof createKeptPlans>;
