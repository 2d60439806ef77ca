import type { CommandModule } from '#command/engine/module.ts';
import { createResolver } from '#runtime/check-target.ts';
import { allCounters, declareWebhookLog, readWebhookLog } from '#runtime/webhook-log.ts';
import { createSubscriptionActions } from './subscription.actions.ts';
import { subscriptionDecider } from './subscription.decider.ts';
import { subscriptionRoutes } from './subscription.routes.ts';
import { subscriptionStoreList } from './subscription-store-list.ts';
import { watchWebhooks } from './watch-webhooks.job.ts';
import { webhookChecks } from './webhook-checks.ts';

export const webhooks: CommandModule = {
  name: 'webhooks',
  create: async (deps) => {
    const { config, stateStore } = deps;
    await declareWebhookLog(stateStore);
    const { allowPrivateTargets: allowPrivate, defaultTimeoutSeconds } = config.webhooks;
    const policy = { allowLoopback: config.allowLoopbackTargets, allowPrivate };
    const resolve = createResolver();
    const actions = createSubscriptionActions({ ...deps, policy, resolve, defaultTimeoutSeconds });
    return {
      jobs: [watchWebhooks({ ...deps, allCounters: () => allCounters(stateStore) })],
      shopChecks: webhookChecks({
        allCounters: () => allCounters(stateStore),
        activeName: async (id) => {
          const { state } = await deps.commands.load(subscriptionDecider, id);
          return state.status === 'subscribed' && state.settings.isActive ? state.settings.name : null;
        },
      }),
      routes: subscriptionRoutes({ actions, logOf: (id) => readWebhookLog(stateStore, id) }),
      storeLists: () => [subscriptionStoreList(actions)],
      actions: { webhooks: actions },
    };
  },
};
