import type { Job } from '#runtime/job-runner.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { AgentNotice } from '#topics/agent-notice.ts';
import { stuckFilter } from '#topics/delivery-steps.ts';
import type { DeliveryQueues } from '../../engine/delivery-queues.ts';
import { dueFilter } from '../../engine/delivery-table.ts';
import { everySeconds, startDue } from '../../engine/start-due.ts';
import type { Due, Worker } from '../../engine/worker.ts';
import { findNotices, queuesWith, recoverNotices } from './notice-rows.ts';

export interface DeliverNoticesOptions {
  readonly stateStore: DocumentStore;
  readonly queues: Pick<DeliveryQueues, 'retry' | 'catchUp' | 'catchUpStalled' | 'quiet'>;
  readonly worker: Pick<Worker, 'holds' | 'handOn'>;
  /**
   * Looks at a notice that has waited long for an earlier one of its order: queues it if its turn has come, else
   * puts it off.
   */
  readonly unpark: (notice: AgentNotice, now: number) => Promise<unknown>;
  readonly webhookTimeoutSeconds: number;
  /** How long a run waits for what it has started, in real time; the rest goes on behind it. Default 5,000. */
  readonly patienceMs?: number;
}

const PAGE = 200;
const FAIR_SHARE = 10;
/** The first retry is due after a second, and must go out within five. */
const EVERY_SECONDS = 2;
/** An attempt this much older than its time-out has lost its process. */
const STUCK_AFTER_SECONDS = 60;

type Queued = AgentNotice & { readonly queue: string };
const isQueued = (notice: AgentNotice): notice is Queued => notice.queue !== null;

const dueOf = ({ queue: key, _id: deliveryId, attemptNumber }: Queued): Due => ({
  ...{ key, deliveryId, attemptNumber },
  isReplayed: false,
});

/**
 * What a full page may leave out, so that a receiver that is dead for long crowds out no other: notices that have
 * waited long enough for another of their order, and a few retries of each receiver that the page has none of.
 */
const crowdedOut = async (
  { stateStore }: DeliverNoticesOptions,
  page: readonly AgentNotice[],
  now: number,
): Promise<readonly AgentNotice[]> => {
  if (page.length < PAGE) return [];
  const ids = new Set(page.map(({ _id }) => _id));
  const retried = page.filter(({ status }) => status === 'Retrying');
  const onPage = new Set(retried.map(({ queue }) => queue));
  const parked = await findNotices(stateStore, {
    filter: { queue: null, ...dueFilter(now) },
    sort: [['dueAt', 1]],
    limit: PAGE,
  });
  const found = parked.filter(({ _id }) => !ids.has(_id));
  for (const queue of await queuesWith(stateStore, 'Retrying')) {
    if (onPage.has(queue)) continue;
    const filter = { queue, status: 'Retrying', ...dueFilter(now) };
    found.push(...(await findNotices(stateStore, { filter, limit: FAIR_SHARE })));
  }
  return found;
};

/** Recovers unfinished attempts and starts what is due (docs/rules/agent-notices.md#attempts). */
export const deliverNotices = (options: DeliverNoticesOptions): Job => {
  const { stateStore, queues, worker, unpark, webhookTimeoutSeconds, patienceMs = 5000 } = options;
  const stuckAfter = webhookTimeoutSeconds + STUCK_AFTER_SECONDS;
  return {
    name: 'deliver-agent-notifications',
    schedule: everySeconds(EVERY_SECONDS),
    runOnce: async (now) => {
      const deadline = performance.now() + patienceMs;
      const recovered = await recoverNotices(stateStore, stuckFilter(now, stuckAfter), now);
      queues.catchUpStalled();
      const started = await startDue({ queues, worker, deadline }, async () => {
        const filter = dueFilter(now);
        const first = await findNotices(stateStore, { filter, sort: [['dueAt', 1]], limit: PAGE });
        const page = [...first, ...(await crowdedOut(options, first, now))];
        const parked = page.filter((notice) => !isQueued(notice));
        await Promise.all(parked.map((notice) => unpark(notice, now)));
        return { due: page.filter(isQueued).map(dueOf), putOff: parked.length };
      });
      return { recovered, ...started };
    },
  };
};
