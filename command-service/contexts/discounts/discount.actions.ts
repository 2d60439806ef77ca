import { createEntityActions } from '#command/engine/entity.actions.ts';
import type { EntityRules } from '#command/engine/entity-rules.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { DatedCommand } from '#entities/dated-rule.ts';
import { discount, type Discount, type DiscountEvent, type NewDiscount } from '#entities/discount.entity.ts';
import { discountDecider } from './discount.decider.ts';
import { discountRules } from './discount.rules.ts';
import { targetKeys } from './target-keys.ts';
import { hasUsesToTakeOver, takeOverUses } from './take-over-uses.ts';
import { unknownIn } from './unknown-targets.ts';

export const entityRules: EntityRules<Discount, NewDiscount, DatedCommand, DiscountEvent> = {
  rules: discountRules,
  decider: discountDecider,
  unknown: unknownIn,
  storeReferences: targetKeys,
  // Before, so that the limit holds from the first moment on; after, for what was placed meanwhile.
  around: async (id, change, save, sources, meta) => {
    if (!(await hasUsesToTakeOver(sources, id, change))) return save();
    const perCustomer = change.now.perCustomerUsageLimit !== null;
    const takeOver = (isLast: boolean) => takeOverUses(sources, id, { perCustomer, isLast }, stepMeta(meta));
    await takeOver(false);
    const saved = await save();
    const position = await takeOver(true);
    return { ...saved, position: Math.max(saved.position, position) };
  },
  figures: (id, { reference }) => {
    const { uses = 0, sold = 0 } = reference.discounts.byId(id) ?? {};
    return { claimed: uses, sold };
  },
};

/** What can be done with discount rules. */
export const createDiscountActions = (deps: CommandDeps) =>
  createEntityActions(discount, entityRules, deps, { currency: () => deps.settings().storeCurrencyCode });

export type DiscountActions = ReturnType<typeof createDiscountActions>;
