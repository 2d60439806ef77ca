import { rulesFor } from '#command/engine/entity-rules.ts';
import type { CommandModule } from '#command/engine/module.ts';
import { shippingTaxOverride } from '#entities/shipping-tax-override.entity.ts';
import { taxGroup } from '#entities/tax-group.entity.ts';
import { customItemRoutes } from './custom-item.routes.ts';
import { shippingTaxOverrideRules } from './shipping-tax-override.rules.ts';

export const tax: CommandModule = {
  name: 'tax',
  entityRules: [
    rulesFor(taxGroup, {
      dependents: (id, { settings }) => (settings().shippingTaxGroupId === id ? ['the tax on shipping'] : []),
    }),
    rulesFor(shippingTaxOverride, { rules: shippingTaxOverrideRules }),
  ],
  create: ({ reference, settings }) => ({
    routes: customItemRoutes({ reference, storeCurrency: () => settings().storeCurrencyCode }),
  }),
};
