import type { Claims } from '#command/engine/claims.ts';
import { createEntities, type Entities } from '#command/engine/entities.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { TaxGroup } from '#events/catalogue.events.ts';
import { taxGroupDecider } from './tax-group.decider.ts';

/** Tax groups; one that a product or the tax on shipping names stays. */
export const taxGroups = (deps: CommandDeps, claims: Claims): Entities<TaxGroup> =>
  createEntities(
    {
      decider: taxGroupDecider,
      noun: 'tax group',
      problems: () => [],
      dependents: (id) => {
        const { length } = deps.reference.catalogue.productsThatUse('taxGroup', id);
        const isForShipping = deps.settings().shippingTaxGroupId === id;
        return [
          ...(length > 0 ? [`${length} product(s)`] : []),
          ...(isForShipping ? ['the tax on shipping'] : []),
        ];
      },
      uniqueValues: () => [],
    },
    deps,
    claims,
  );
