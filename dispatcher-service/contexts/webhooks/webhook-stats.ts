import { setImmediate as nextTurn } from 'node:timers/promises';
import type { WebhookStats, WebhookStatsWindow } from '#contracts/webhook-stats.contract.ts';
import { deliveryStatuses, type DeliveryStatus } from '#topics/webhook-delivery.ts';
import { defined } from '#kernel/defined.ts';
import type { DocumentStore, Filter } from '#ports/document-store.ts';
import type { WebhookReference } from '#reference/webhooks.reference.ts';
import { countDeliveries, findDeliveries } from './delivery-rows.ts';

const statuses = Object.keys(deliveryStatuses) as readonly DeliveryStatus[];
/** Small, for each is parsed in one go while others wait. */
const PAGE = 200;

/** The deliveries of one status that were created in the window. */
const inWindow = (status: DeliveryStatus, { from, to }: WebhookStatsWindow): Filter => {
  const bounds = defined({ gte: from, lte: to });
  return Object.keys(bounds).length === 0 ? { status } : { status, dateCreated: bounds };
};

const twoDecimals = (value: number): number => Math.round(value * 100) / 100;

interface Durations {
  readonly total: number;
  readonly count: number;
}

/** Durations of the last attempts, page by page in the order of creation, so that other work gets its turn. */
const durationsOf = async (
  stateStore: DocumentStore,
  status: DeliveryStatus,
  window: WebhookStatsWindow,
): Promise<Durations> => {
  let [total, count, skip] = [0, 0, 0];
  let from = window.from ?? '';
  for (;;) {
    const filter = inWindow(status, { ...window, from });
    const sort = [['dateCreated', 1]] as const;
    const rows = await findDeliveries(stateStore, { filter, sort, skip, limit: PAGE });
    for (const { attemptNumber, durationMs } of rows) {
      if (attemptNumber === 0) continue;
      total += durationMs;
      count++;
    }
    const last = rows.at(-1)?.dateCreated;
    if (last === undefined || rows.length < PAGE) return { total, count };
    const isSameInstant = last === from;
    skip = (isSameInstant ? skip : 0) + rows.filter(({ dateCreated }) => dateCreated === last).length;
    from = last;
    await nextTurn();
  }
};

const newest = async (
  stateStore: DocumentStore,
  status: DeliveryStatus,
  window: WebhookStatsWindow,
): Promise<readonly string[]> => {
  const filter = inWindow(status, window);
  const rows = await findDeliveries(stateStore, { filter, sort: [['dateCreated', -1]], limit: 1 });
  return rows.map(({ dateCreated }) => dateCreated);
};

/** Figures over all subscriptions (docs/rules/webhooks.md#figures). */
export const statsOfWebhooks = async (
  stateStore: DocumentStore,
  webhooks: Pick<WebhookReference, 'subscriptions'>,
  window: WebhookStatsWindow,
): Promise<WebhookStats> => {
  const counts = new Map<DeliveryStatus, number>();
  const durations: Durations[] = [];
  const last: string[] = [];
  for (const status of statuses) {
    const count = await countDeliveries(stateStore, inWindow(status, window));
    counts.set(status, count);
    if (count === 0) continue;
    durations.push(await durationsOf(stateStore, status, window));
    last.push(...(await newest(stateStore, status, window)));
  }
  const of = (...wanted: readonly DeliveryStatus[]): number =>
    wanted.reduce((sum, status) => sum + (counts.get(status) ?? 0), 0);
  const timed = durations.reduce((sum, { count }) => sum + count, 0);
  const milliseconds = durations.reduce((sum, { total }) => sum + total, 0);
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
    averageResponseTimeMs: timed === 0 ? 0 : twoDecimals(milliseconds / timed),
    lastDeliveryUtc: last.toSorted().at(-1) ?? null,
  };
};
