import type { Job } from '#runtime/job-runner.ts';
import type { DocumentStore, Filter } from '#ports/document-store.ts';
import { dueFilter } from '../../engine/delivery-table.ts';
import type { DeliveryQueues } from '../../engine/delivery-queues.ts';
import { everySeconds, startDue } from '../../engine/start-due.ts';
import type { Due, Worker } from '../../engine/worker.ts';
import { stuckFilter } from '#topics/delivery-steps.ts';
import { parked } from './delivery.ts';
import {
  findDeliveries,
  isWaitingReplayed,
  recoverDeliveries,
  takeStep,
  type DeliveryRow,
} from './delivery-rows.ts';

export interface DeliverWebhooksOptions {
  readonly stateStore: DocumentStore;
  readonly queues: Pick<DeliveryQueues, 'retry' | 'catchUp' | 'catchUpStalled' | 'quiet'>;
  /** Ids of the subscriptions that there are. */
  readonly subscriptionIds: () => readonly string[];
  readonly worker: Pick<Worker, 'holds' | 'handOn'>;
  /** Whether the deliveries of a subscription wait until it is active again. */
  readonly isInactive: (subscriptionId: string) => boolean;
  readonly deliveryIntervalSeconds: number;
  /** Resolves when what has been attempted is counted. */
  readonly counted: () => Promise<void>;
  /** Counts what others had attempted and not counted when they were killed. */
  readonly recoverCounts: () => Promise<unknown>;
  /** How long a run waits for what it has started, in real time; the rest goes on behind it. Default 5,000. */
  readonly patienceMs?: number;
}

const PAGE = 100;
/** The longest time-out and a minute. */
const STUCK_AFTER_SECONDS = 360;
/** Of each subscription without a retry on a full page. */
const FAIR_SHARE = 10;

/** What waits for its first attempt, a replay's too, has its place in the queue of its subscription. */
const dueOf = (row: DeliveryRow): Due => {
  const { _id: deliveryId, subscriptionId: key } = row;
  const isReplayed = isWaitingReplayed(row);
  return { key, deliveryId, attemptNumber: isReplayed ? 0 : row.attemptNumber, isReplayed };
};

const isRetry = (row: DeliveryRow): boolean => dueOf(row).attemptNumber > 0;

/**
 * The page of what is due first; when it is full, a few retries of every subscription that has none on it, so that none
 * is crowded out: not by others, nor by a backlog of its own.
 */
const duePage = async (
  { stateStore, queues, worker, subscriptionIds, isInactive }: DeliverWebhooksOptions,
  now: number,
): Promise<readonly DeliveryRow[]> => {
  const page = await findDeliveries(stateStore, {
    filter: dueFilter(now),
    sort: [['dueAt', 1]],
    limit: PAGE,
  });
  if (page.length < PAGE) return page;
  const onPage = new Set(page.filter(isRetry).map(({ subscriptionId }) => subscriptionId));
  const shares: (readonly DeliveryRow[])[] = [page];
  for (const subscriptionId of subscriptionIds()) {
    if (onPage.has(subscriptionId) || isInactive(subscriptionId)) continue;
    if (worker.holds(subscriptionId)) queues.catchUp(subscriptionId);
    const filter: Filter = { subscriptionId, status: 'Retrying', ...dueFilter(now) };
    shares.push(await findDeliveries(stateStore, { filter, limit: FAIR_SHARE }));
  }
  return shares.flat();
};

/**
 * Recovers unfinished attempts and starts what is due: retries, and deliveries without a worker
 * (docs/rules/webhooks.md#attempts). It goes through the queues of the process that holds the
 * subscription, so that one dead receiver holds up neither this run nor other receivers.
 */
export const deliverWebhooks = (options: DeliverWebhooksOptions): Job => {
  const { stateStore, queues, worker, isInactive, patienceMs = 5000 } = options;

  const park = async (rows: readonly DeliveryRow[], now: number): Promise<void> =>
    void (await Promise.all(rows.map((row) => takeStep(stateStore, parked(row, now)))));

  return {
    name: 'deliver-webhooks',
    schedule: everySeconds(Math.max(5, options.deliveryIntervalSeconds)),
    runOnce: async (now) => {
      const deadline = performance.now() + patienceMs;
      // First of all: the next attempt of a delivery hides what the one before it came to.
      await options.recoverCounts();
      const recovered = await recoverDeliveries(stateStore, stuckFilter(now, STUCK_AFTER_SECONDS), now);
      queues.catchUpStalled();
      const started = await startDue({ queues, worker, deadline }, async () => {
        const page = await duePage(options, now);
        const waiting = page.filter(({ subscriptionId }) => isInactive(subscriptionId));
        await park(waiting, now);
        return { due: page.filter((row) => !waiting.includes(row)).map(dueOf), putOff: waiting.length };
      });
      await options.counted();
      return { recovered, ...started };
    },
  };
};
