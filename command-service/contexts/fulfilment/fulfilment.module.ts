import { createEntityActions } from '#command/engine/entity.actions.ts';
import { showSaved } from '#command/engine/entity-routes.ts';
import { rulesFor } from '#command/engine/entity-rules.ts';
import type { CommandModule } from '#command/engine/module.ts';
import { fulfilmentProviderConfiguration } from '#entities/fulfilment-provider-configuration.entity.ts';
import { fulfilmentProviderRoutes } from './fulfilment-provider.routes.ts';
import { fulfilmentProviderRules } from './fulfilment-provider.rules.ts';
import { createKnownConfigurations } from './known-configuration.ts';
import { createSyncLogs } from './sync-logs.ts';
import { createSyncs } from './syncs.actions.ts';
import { syncRoutes } from './syncs.routes.ts';

/** A sync that takes longer ends with its process, and its row says so. */
const STOP_MILLISECONDS = 5000;

export const fulfilment: CommandModule = {
  name: 'fulfilment',
  entityRules: [rulesFor(fulfilmentProviderConfiguration, fulfilmentProviderRules)],
  create: async (deps) => {
    const currency = (): string => deps.settings().storeCurrencyCode;
    const actions = createEntityActions(fulfilmentProviderConfiguration, fulfilmentProviderRules, deps, {
      currency,
    });
    const known = createKnownConfigurations(deps);
    const { config, store } = deps;
    const logs = await createSyncLogs({
      ...deps,
      isOnlyWriter: store.isOnlyWriter,
      retentionDays: config.fulfilment.syncLogRetentionDays,
    });
    const syncs = createSyncs({ ...deps, logs, known });
    return {
      routes: [
        ...fulfilmentProviderRoutes({ actions, show: showSaved(actions), known, currency }),
        ...syncRoutes(syncs, known),
      ],
      jobs: [logs.cleanup],
      followers: [{ name: 'fulfilment', waitFor: (_, timeoutMs) => syncs.idle(timeoutMs) }],
      stop: async () => void (await syncs.idle(STOP_MILLISECONDS)),
    };
  },
};
