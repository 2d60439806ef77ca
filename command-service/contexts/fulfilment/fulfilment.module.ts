import { createEntityActions } from '#command/engine/entity.actions.ts';
import { rulesFor } from '#command/engine/entity-rules.ts';
import type { CommandModule } from '#command/engine/module.ts';
import { fulfilmentProviderConfiguration } from '#entities/fulfilment-provider-configuration.entity.ts';
import { fulfilmentProviderRoutes } from './fulfilment-provider.routes.ts';
import { fulfilmentProviderRules } from './fulfilment-provider.rules.ts';
import { fulfilmentHooks } from './fulfilment.hooks.ts';
import { createFulfilmentWork, type FulfilmentWork } from './fulfilment-work.ts';
import { createFulfilmentWorker } from './fulfilment-worker.ts';
import { createKnownConfigurations } from './known-configuration.ts';
import { openFulfilmentCallbacks } from './callbacks/open-fulfilment-callbacks.ts';
import { pollOrders } from './fulfilment-poll.job.ts';
import { createProviderUpdates } from './callbacks/provider-updates.ts';
import { submissionRoutes } from './release.routes.ts';
import { createSubmissions } from './submissions.ts';
import { submitOrder } from './submit-order.process.ts';
import { createSyncLogs } from './syncs/sync-logs.ts';
import { createSyncs } from './syncs/syncs.actions.ts';
import { syncRoutes } from './syncs/syncs.routes.ts';

/** A longer sync ends with its process, and its row says so. */
const STOP_MILLISECONDS = 5000;

export const fulfilment: CommandModule<FulfilmentWork> = {
  name: 'fulfilment',
  processes: [submitOrder],
  beforeHooks: [fulfilmentHooks],
  follows: createFulfilmentWork,
  entityRules: [rulesFor(fulfilmentProviderConfiguration, fulfilmentProviderRules)],
  create: async (deps, work) => {
    const currency = (): string => deps.settings().storeCurrencyCode;
    const actions = createEntityActions(fulfilmentProviderConfiguration, fulfilmentProviderRules, deps, {
      currency,
    });
    const known = createKnownConfigurations(deps);
    const { config } = deps;
    const logs = await createSyncLogs({
      ...deps,
      isOnlyWriter: deps.stateStore.isOnlyWriter,
      retentionDays: config.fulfilment.syncLogRetentionDays,
    });
    const syncs = createSyncs({ ...deps, logs, known });
    const { maxRetryAttempts: maxAttempts, retryDelaysMinutes: delaysMinutes } = config.fulfilment;
    const submissions = createSubmissions({ ...deps, known, retries: { maxAttempts, delaysMinutes } });
    const worker = createFulfilmentWorker({ ...deps, work, submissions, known });
    const updates = createProviderUpdates(deps);
    const { pollingIntervalMinutes: intervalMinutes } = config.fulfilment;
    const callbacks = await openFulfilmentCallbacks(deps, { known, updates });
    return {
      routes: [
        ...fulfilmentProviderRoutes({ actions, known, currency }),
        ...syncRoutes(syncs, known),
        ...submissionRoutes(submissions),
        ...callbacks.routes,
      ],
      jobs: [
        logs.cleanup,
        worker.job,
        callbacks.purge,
        pollOrders({ ...deps, work, known, updates, intervalMinutes }),
      ],
      drivers: { [submitOrder.name]: submissions },
      followers: [
        {
          name: 'fulfilment',
          waitFor: async (position, timeoutMs) => {
            // Due work is known up to the position of reference state.
            await deps.reach(position);
            return (await worker.idle(timeoutMs)) && syncs.idle(timeoutMs);
          },
        },
      ],
      measure: (metrics) =>
        metrics.gauge(
          'tillroll_fulfilment_orders',
          'Orders that a fulfilment provider has still to send',
          () => work.count(),
        ),
      stop: async () => {
        await worker.stop();
        await syncs.idle(STOP_MILLISECONDS);
      },
    };
  },
};
