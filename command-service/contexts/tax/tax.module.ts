import { rulesFor } from '#command/engine/entity-rules.ts';
import type { CommandModule } from '#command/engine/module.ts';
import { shippingTaxOverride } from '#entities/shipping-tax-override.entity.ts';
import { taxGroup } from '#entities/tax-group.entity.ts';
import { InvalidConfiguration } from '#runtime/config.ts';
import { createTaxProviderActions } from './tax-providers.actions.ts';
import { taxProviderRoutes } from './tax-providers.routes.ts';
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
  create: (deps) => {
    const { reference, settings, config } = deps;
    const namedProvider = config.tax.provider;
    const actions = createTaxProviderActions({ ...deps, namedProvider });
    const known = deps.taxProviders.map(({ alias }) => alias);
    if (namedProvider !== null && !known.includes(namedProvider)) {
      throw new InvalidConfiguration([`Tax.Provider: must be one of ${known.join(', ')}`]);
    }
    return {
      routes: [
        ...customItemRoutes({ reference, storeCurrency: () => settings().storeCurrencyCode }),
        ...taxProviderRoutes(actions),
      ],
      actions: { taxes: { ask: actions.ask } },
    };
  },
};
