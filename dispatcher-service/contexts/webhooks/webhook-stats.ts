import { setImmediate as nextTurn } from 'node:timers/promises';
import type { WebhookStats, WebhookStatsWindow } from '#contracts/webhook-stats.contract.ts';
import { deliveryStatuses, type DeliveryStatus } from '#contracts/webhook-deliveries.contract.ts';
import type { DocumentStore, Filter } from '#ports/document-store.ts';
import type { WebhookReference } from '#reference/webhooks.reference.ts';
import { countDeliveries, findDeliveries } from './delivery-rows.ts';

const statuses = Object.keys(deliveryStatuses) as readonly DeliveryStatus[];
const SAMPLE = 1000;

/** The deliveries of one status that were created in the window. */
const inWindow = (status: DeliveryStatus, { from, to }: WebhookStatsWindow): Filter => {
  const bounds = { ...(from === undefined ? {} : { gte: from }), ...(to === undefined ? {} : { lte: to }) };
  return Object.keys(bounds).length === 0 ? { status } : { status, dateCreated: bounds };
};

const twoDecimals = (value: number): number => Math.round(value * 100) / 100;

/** How long the attempts of one status took, on average, and how many of its deliveries were attempted. */
interface Attempted {
  readonly averageMs: number;
  readonly share: number;
  /** When the newest of them all was created; null when there is none. */
  readonly newest: string | null;
}

/** From the newest thousand: a window of any length costs the same. */
const attemptedOf = async (
  stateStore: DocumentStore,
  status: DeliveryStatus,
  window: WebhookStatsWindow,
): Promise<Attempted> => {
  const options = { filter: inWindow(status, window), sort: [['dateCreated', -1]], limit: SAMPLE } as const;
  const rows = await findDeliveries(stateStore, options);
  const attempted = rows.filter(({ attemptNumber }) => attemptNumber > 0);
  const total = attempted.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return {
    averageMs: attempted.length === 0 ? 0 : total / attempted.length,
    share: rows.length === 0 ? 0 : attempted.length / rows.length,
    newest: rows[0]?.dateCreated ?? null,
  };
};

/**
 * Figures over all subscriptions (decisions, backoffice 1.8). The average time is that of the newest thousand of each
 * status, weighted by how many there are.
 */
export const statsOfWebhooks = async (
  stateStore: DocumentStore,
  webhooks: WebhookReference,
  window: WebhookStatsWindow,
): Promise<WebhookStats> => {
  const counts = new Map<DeliveryStatus, number>();
  const last: string[] = [];
  let [attempts, milliseconds] = [0, 0];
  for (const status of statuses) {
    const count = await countDeliveries(stateStore, inWindow(status, window));
    counts.set(status, count);
    if (count === 0) continue;
    const { averageMs, share, newest } = await attemptedOf(stateStore, status, window);
    attempts += count * share;
    milliseconds += count * share * averageMs;
    if (newest !== null) last.push(newest);
    await nextTurn();
  }
  const of = (...wanted: readonly DeliveryStatus[]): number =>
    wanted.reduce((sum, status) => sum + (counts.get(status) ?? 0), 0);
  const total = of(...statuses);
  const subscriptions = webhooks.subscriptions();
  return {
    totalSubscriptions: subscriptions.length,
    activeSubscriptions: subscriptions.filter(({ isActive }) => isActive).length,
    totalDeliveries: total,
    successfulDeliveries: of('Succeeded'),
    failedDeliveries: of('Retrying', 'Abandoned', 'Failed'),
    pendingDeliveries: of('Pending', 'Retrying', 'Sending'),
    abandonedDeliveries: of('Abandoned'),
    successRate: total === 0 ? 0 : twoDecimals((of('Succeeded') / total) * 100),
    averageResponseTimeMs: attempts === 0 ? 0 : twoDecimals(milliseconds / attempts),
    lastDeliveryUtc: last.toSorted().at(-1) ?? null,
  };
};
