import { rulesFor } from '#command/engine/entity-rules.ts';
import type { CommandModule } from '#command/engine/module.ts';
import { taxGroup } from '#entities/tax-group.entity.ts';

export const tax: CommandModule = {
  name: 'tax',
  entityRules: [
    rulesFor(taxGroup, {
      dependents: (id, { settings }) => (settings().shippingTaxGroupId === id ? ['the tax on shipping'] : []),
    }),
  ],
};
