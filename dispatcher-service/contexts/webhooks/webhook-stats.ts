import type {
  WebhookSeries,
  WebhookSeriesWindow,
  WebhookStats,
  WebhookStatsWindow,
} from '#contracts/webhook-stats.contract.ts';
import type { DeliveryStatus } from '#topics/webhook-delivery.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { WebhookReference } from '#reference/webhooks.reference.ts';
import { countOf, everyStatus, finishedStatuses, shownFigures, sumOf } from './delivery-figures.ts';
import { countDeliveries } from './delivery-rows.ts';
import { p95Of } from './duration-histogram.ts';
import { countDeliveriesMade, LAST_INSTANT, type Counted } from './read-rollups.ts';
import { newestMade } from './rollup-rows.ts';
import { ALL, endOf, readRollupState, startOf } from './rollup-state.ts';

const figuresIn = (counted: readonly Counted[]) => sumOf(counted.map(({ figures }) => figures));

const twoDecimals = (value: number): number => Math.round(value * 100) / 100;

/** Figures over all subscriptions, or of one (docs/rules/webhooks.md#figures). Errors: `EngineUnavailable`. */
export const statsOfWebhooks = async (
  stateStore: DocumentStore,
  webhooks: Pick<WebhookReference, 'subscriptions'>,
  { from = '', to = LAST_INSTANT, subscriptionId }: WebhookStatsWindow,
): Promise<WebhookStats> => {
  const scope = subscriptionId ?? ALL;
  const [{ counted, newest }, newestRow] = await Promise.all([
    countDeliveriesMade(stateStore, { scope, from, to, interval: null }),
    newestMade(stateStore, scope, { from, to }),
  ]);
  const figures = figuresIn(counted);
  const { total, delivered, failed, pending, averageMs } = shownFigures(figures);
  const subscriptions = webhooks.subscriptions().filter(({ id }) => scope === ALL || id === scope);
  return {
    totalSubscriptions: subscriptions.length,
    activeSubscriptions: subscriptions.filter(({ isActive }) => isActive).length,
    totalDeliveries: total,
    successfulDeliveries: delivered,
    failedDeliveries: failed,
    pendingDeliveries: pending,
    abandonedDeliveries: countOf(figures, ['Abandoned']),
    successRate: total === 0 ? 0 : twoDecimals((delivered / total) * 100),
    averageResponseTimeMs: twoDecimals(averageMs ?? 0),
    lastDeliveryUtc: newestRow ?? newest,
  };
};

/** The same, hour by hour or day by day, for a chart (docs/rules/webhooks.md#series). Errors: `EngineUnavailable`. */
export const seriesOfWebhooks = async (
  stateStore: DocumentStore,
  { from, to, interval, subscriptionId }: WebhookSeriesWindow & { readonly to: string },
): Promise<WebhookSeries> => {
  const scope = subscriptionId ?? ALL;
  const { counted } = await countDeliveriesMade(stateStore, { scope, from, to, interval });
  const byStart = Map.groupBy(counted, ({ start }) => startOf(interval, start));
  const points: WebhookSeries['points'][number][] = [];
  for (let start = startOf(interval, from); start <= to; start = endOf(interval, start)) {
    const figures = figuresIn(byStart.get(start) ?? []);
    const { delivered, failed, pending, averageMs } = shownFigures(figures);
    const p95DurationMs = p95Of(figures.durations);
    points.push({
      start,
      delivered,
      failed,
      pending,
      averageDurationMs: averageMs === null ? null : twoDecimals(averageMs),
      p95DurationMs,
    });
  }
  return { from, to, interval, subscriptionId: subscriptionId ?? null, points };
};

/**
 * How many deliveries of a subscription are in the log of deliveries, of some statuses or of all. Rollups know it of
 * hours of which nothing is purged. Errors: `EngineUnavailable`.
 */
export const countInLog = async (
  stateStore: DocumentStore,
  subscriptionId: string,
  statuses: readonly DeliveryStatus[] = everyStatus,
): Promise<number> => {
  const status = { in: statuses };
  const isRolledUp = statuses.some((one) => finishedStatuses.some((finished) => finished === one));
  if (!isRolledUp) return countDeliveries(stateStore, { subscriptionId, status });
  const { purgedBefore } = await readRollupState(stateStore);
  const asked = { scope: subscriptionId, from: purgedBefore, to: LAST_INSTANT, interval: null };
  const [{ counted }, older] = await Promise.all([
    countDeliveriesMade(stateStore, asked),
    countDeliveries(stateStore, { subscriptionId, status, dateCreated: { gte: '', lt: purgedBefore } }),
  ]);
  return countOf(figuresIn(counted), statuses) + older;
};
