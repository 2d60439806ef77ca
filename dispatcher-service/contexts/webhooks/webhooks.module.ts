import type { DispatcherDeps, DispatcherModule } from '#dispatcher/engine/module.ts';
import { createTextCipher } from '#runtime/encryption.ts';
import type { ReferencePart } from '#reference/reference-part.ts';
import { createWebhookReference, type WebhookReference } from '#reference/webhooks.reference.ts';
import { createResolver } from '#runtime/check-target.ts';
import { createSender } from '#runtime/send.ts';
import { createDownloadTokens, createDownloadUrls } from '#runtime/download-tokens.ts';
import { keyFor } from '#runtime/keys.ts';
import type { Delivery } from '#topics/webhook-delivery.ts';
import { createAdminCheck } from '#runtime/backoffice-users.ts';
import { createRecoveryLinks } from '#runtime/recovery-links.ts';
import type { TopicContext } from '#topics/topic.ts';
import { announcedEventTypes, messagesOf } from '#topics/topics.ts';
import type { Route } from '#http/route.ts';
import { deliveryRoutes, type DeliveryRoutesDeps } from './deliveries.routes.ts';
import { measureDispatch } from './dispatch-metrics.ts';
import { readable } from '../../engine/readable.ts';
import { dispatchWebhooks } from './dispatch-webhooks.ts';
import { resumeFollower } from '#dispatcher/engine/follower-checkpoint.ts';
import { WEBHOOK_DELIVERIES } from './queue-deliveries.ts';
import { createFilterMatcher } from './filter.ts';
import { operatorWebhook, withOperator } from './operator-webhook.ts';
import { openReplays } from './replays/open-replays.ts';
import { replayRoutes, type ReplayRoutesDeps } from './replays/replays.routes.ts';
import { subscriptionEventsRoutes, type SubscriptionEventsDeps } from './subscription-events.routes.ts';
import { createTopicLog, type TopicLogOptions } from './topic-log.ts';
import { webhookRoutes } from './webhooks.routes.ts';

/** The table of topics, with what an event does not say. */
const topicsOf = (
  { applicationKey }: DispatcherDeps['runtime'],
  { downloads }: DispatcherDeps['config'],
  settings: DispatcherDeps['settings'],
): TopicLogOptions['topics'] => {
  const tokens = createDownloadTokens(downloads.downloadTokenSecret, applicationKey);
  const downloadUrlOf = createDownloadUrls(tokens, () => settings().websiteUrl);
  const { recoveryLink: recoveryLinkOf } = createRecoveryLinks(applicationKey, {
    recoveryUrlBase: () => settings()['abandonedCheckout.recoveryUrlBase'],
    websiteUrl: () => settings().websiteUrl,
  });
  const context = (): TopicContext => ({
    storeCurrency: settings().storeCurrencyCode,
    ...{ downloadUrlOf, recoveryLinkOf },
  });
  return { eventTypes: announcedEventTypes, messagesOf: (event) => messagesOf(event, context()) };
};

const routesOf = (deps: DeliveryRoutesDeps & SubscriptionEventsDeps & ReplayRoutesDeps): readonly Route[] => [
  ...webhookRoutes(deps),
  ...deliveryRoutes(deps),
  ...subscriptionEventsRoutes(deps),
  ...replayRoutes(deps),
];

/** From the log to the receivers, and what there is to know about it. */
export const webhooks: DispatcherModule<WebhookReference & ReferencePart> = {
  name: 'webhooks',
  // The subscriptions as the log has them; no snapshot holds their secrets in clear.
  follows: (applicationKey) =>
    createWebhookReference(createTextCipher(keyFor(applicationKey, 'webhook snapshots'))),
  resumable: (engines) => ({
    name: 'webhook deliveries',
    resume: (wish) => resumeFollower(WEBHOOK_DELIVERIES, engines, wish),
  }),
  create: async ({ runtime, config, settings: storeSettings, deliveryLogs }, subscriptions) => {
    const { webhooks: settings, allowLoopbackTargets: allowLoopback } = config;
    const policy = { allowLoopback, allowPrivate: settings.allowPrivateTargets };
    const sender = createSender({ policy, resolve: createResolver() });
    const topics = topicsOf(runtime, config, storeSettings);
    const isBusy = (): boolean => runtime.traffic.isHeavy();
    const topicLog = createTopicLog({ ...runtime, topics, isBusy });
    const operator = operatorWebhook(settings.operator, settings.defaultTimeoutSeconds);
    const dispatch = await dispatchWebhooks({
      ...runtime,
      webhooks: withOperator(subscriptions, operator),
      staffReceiver: operator?.id ?? null,
      sender,
      settings,
      topics,
      isOnlyWriter: runtime.stateStore.isOnlyWriter,
    });
    const { follower } = dispatch;
    const deps = {
      ...runtime,
      ...dispatch,
      webhooks: subscriptions,
      isAdmin: createAdminCheck(runtime.stateStore),
      readable: (delivery: Delivery) => readable(runtime.personalTexts, delivery),
      reference: runtime.follower,
      sender,
      settings,
      ...{ deliveryLogs, topicLog, isBusy },
      // Whoever asks sees what comes through.
      matches: createFilterMatcher(() => undefined),
    };
    const { replays, runner } = await openReplays({ ...deps, dispatch });
    return {
      routes: routesOf({ ...deps, replays }),
      jobs: dispatch.jobs,
      followers: [
        { name: 'webhook replays', waitFor: (_position, timeoutMs) => runner.idle(timeoutMs) },
        { name: 'webhook deliveries', waitFor: dispatch.settled },
      ],
      checks: [
        {
          name: 'webhook deliveries',
          check: () =>
            follower.stopped &&
            `stopped at position ${follower.stopped.position}: ${follower.stopped.message}`,
        },
      ],
      measure: (metrics) => measureDispatch(dispatch, metrics),
      /** Lets attempts finish for a while and gives back the rest. */
      stop: async () => {
        await runner.stop();
        await dispatch.stop();
        sender.close();
        await dispatch.queues.stop();
      },
    };
  },
};
