import { createResolver } from '#runtime/check-target.ts';
import { createTextCipher } from '#log/encryption.ts';
import { keyFor } from '#runtime/keys.ts';
import type { Metrics } from '#runtime/metrics.ts';
import type { ReferencePart } from '#reference/reference-part.ts';
import { createWebhookReference, type WebhookReference } from '#reference/webhooks.reference.ts';
import type { RunningService, ServiceOptions, ServicePlan } from '../shared-kernel/open-services.ts';
import { deliveryRoutes } from './contexts/webhooks/deliveries.routes.ts';
import { dispatchWebhooks, type WebhookDispatch } from './contexts/webhooks/dispatch-webhooks.ts';
import { createSender } from './contexts/webhooks/send.ts';
import { announcedEventTypes, messagesOf } from '#topics/topics.ts';
import { webhookRoutes } from './contexts/webhooks/webhooks.routes.ts';

export interface DispatcherServiceOptions extends Omit<ServiceOptions, 'keys'> {
  /** Follows the log with the house's reference state. */
  readonly webhooks: WebhookReference;
}

/** The subscriptions as the log has them; their secrets lie in no snapshot in clear. */
export const createWebhooks = (applicationKey: Buffer): WebhookReference & ReferencePart =>
  createWebhookReference(createTextCipher(keyFor(applicationKey, 'webhook snapshots')));

const measure = (
  { follower, queues, oldestDueSeconds, abandoned }: WebhookDispatch,
  metrics: Metrics,
): void => {
  metrics.gauge(
    'tillroll_dispatcher_lag_positions',
    'Events not yet turned into deliveries',
    () => follower.lagPositions,
  );
  metrics.gauge('tillroll_dispatcher_lag_seconds', 'Age of the oldest of them', () => follower.lagSeconds);
  metrics.gauge('tillroll_dispatcher_stopped', '1 when the dispatcher stands still at an event', () =>
    follower.stopped ? 1 : 0,
  );
  metrics.gauge(
    'tillroll_deliveries_waiting',
    'Deliveries that wait in memory',
    () => queues.figures().waiting,
  );
  metrics.gauge('tillroll_deliveries_in_flight', 'Deliveries under way', () => queues.figures().inFlight);
  metrics.gauge(
    'tillroll_deliveries_oldest_due_seconds',
    'How long the oldest delivery has been due; NaN while the state store is away',
    () => oldestDueSeconds().catch(() => NaN),
  );
  metrics.gauge(
    'tillroll_deliveries_abandoned',
    'Deliveries that were given up and are not purged yet; NaN while the state store is away',
    () => abandoned().catch(() => NaN),
  );
  metrics.counter(
    'tillroll_delivery_claim_failures_total',
    'Deliveries that somebody else had claimed before, or that could not be claimed',
    () => queues.figures().failedClaims,
  );
};

/** Puts the dispatcher service together: from the log to the receivers, and what there is to know about it. */
export const createDispatcherService = async (options: DispatcherServiceOptions): Promise<RunningService> => {
  const { house, webhooks, config, settings: storeSettings } = options;
  const { stateStore, clock, follower: reference, store } = house;
  const { webhooks: settings, allowLoopbackTargets: allowLoopback } = config;
  const policy = { allowLoopback, allowPrivate: settings.allowPrivateTargets };
  const sender = createSender({ policy, resolve: createResolver() });
  const dispatch = await dispatchWebhooks({
    ...house,
    webhooks,
    sender,
    settings,
    topics: {
      eventTypes: announcedEventTypes,
      messagesOf: (event) => messagesOf(event, { storeCurrency: storeSettings().storeCurrencyCode }),
    },
    isOnlyWriter: store.isOnlyWriter,
  });
  const { follower, attempts, tallies } = dispatch;
  const deps = {
    stateStore,
    clock,
    webhooks,
    reference,
    follower,
    attempts,
    tallies,
    sender,
    settings,
  };
  return {
    service: 'dispatcher',
    routes: [...webhookRoutes(deps), ...deliveryRoutes(deps)],
    jobs: dispatch.jobs,
    followers: [{ name: 'webhook deliveries', passed: dispatch.settled }],
    checks: [
      {
        name: 'webhook deliveries',
        check: () =>
          follower.stopped && `stopped at position ${follower.stopped.position}: ${follower.stopped.message}`,
      },
    ],
    testingRoutes: [],
    measure: (metrics) => measure(dispatch, metrics),
    idempotency: null,
    start: () => undefined,
    prepare: () => Promise.resolve(),
    /** Lets attempts finish for a while and gives back the rest. */
    stop: async () => {
      await dispatch.stop();
      sender.close();
      await dispatch.queues.stop();
    },
  };
};

export const dispatcherPlan = (applicationKey: Buffer): ServicePlan => {
  const webhooks = createWebhooks(applicationKey);
  return {
    parts: [webhooks],
    create: (options) => createDispatcherService({ ...options, webhooks }),
  };
};
