import type { Metrics } from '#runtime/metrics.ts';
import type { WebhookDispatch } from './dispatch-webhooks.ts';

/** The figures of the dispatcher. */
export const measureDispatch = (
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
    'Deliveries that another worker had claimed, or that could not be claimed',
    () => queues.figures().failedClaims,
  );
};
