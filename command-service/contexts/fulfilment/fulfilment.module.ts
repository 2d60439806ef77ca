import { createEntityActions } from '#command/engine/entity.actions.ts';
import { showSaved } from '#command/engine/entity-routes.ts';
import { rulesFor } from '#command/engine/entity-rules.ts';
import type { CommandModule } from '#command/engine/module.ts';
import { fulfilmentProviderConfiguration } from '#entities/fulfilment-provider-configuration.entity.ts';
import { fulfilmentProviderRoutes } from './fulfilment-provider.routes.ts';
import { fulfilmentProviderRules } from './fulfilment-provider.rules.ts';
import { createKnownConfigurations } from './known-configuration.ts';

export const fulfilment: CommandModule = {
  name: 'fulfilment',
  entityRules: [rulesFor(fulfilmentProviderConfiguration, fulfilmentProviderRules)],
  create: (deps) => {
    const currency = (): string => deps.settings().storeCurrencyCode;
    const actions = createEntityActions(fulfilmentProviderConfiguration, fulfilmentProviderRules, deps, {
      currency,
    });
    const known = createKnownConfigurations(deps);
    return {
      routes: fulfilmentProviderRoutes({ actions, show: showSaved(actions), known, currency }),
    };
  },
};
