import type { Clock } from '#kernel/clock.ts';
import type { AgentNotice } from '#topics/agent-notice.ts';
import type { DeliveryQueues } from '../../engine/delivery-queues.ts';
import type { Worker } from '../../engine/worker.ts';

const SOON_MILLISECONDS = 60_000;
const MOST = 1000;

/**
 * Retries notices whose next attempt is near without waiting for the job, which finds those that do not fit, or that a
 * kill loses, by their rows.
 */
export const createRetrySoon = (
  queues: Pick<DeliveryQueues, 'retry'>,
  worker: () => Pick<Worker, 'holds'>,
  clock: Clock,
) => {
  const waiting = new Set<NodeJS.Timeout>();
  const wait = (id: string, queue: string, until: number): void => {
    const timer = setTimeout(() => {
      waiting.delete(timer);
      // A timer counts from when its turn of the loop began, and so comes early in a long one.
      if (clock.now() < until) wait(id, queue, until);
      else if (worker().holds(queue)) void queues.retry(queue, id);
    }, until - clock.now()).unref();
    waiting.add(timer);
  };
  return {
    after: ({ _id: id, status, dueAt, queue }: AgentNotice): void => {
      if (status !== 'Retrying' || dueAt === null || queue === null || waiting.size >= MOST) return;
      const until = Date.parse(dueAt);
      if (until - clock.now() <= SOON_MILLISECONDS) wait(id, queue, until);
    },
    stop: (): void => waiting.forEach((timer) => clearTimeout(timer)),
  };
};
