import type { DeliveryQueues } from './delivery-queues.ts';
import type { Attempted } from './receiver-queue.ts';
import { within } from './within.ts';
import type { Due, Worker } from './worker.ts';

export interface StartDueOptions {
  readonly queues: Pick<DeliveryQueues, 'retry' | 'catchUp' | 'quiet'>;
  readonly worker: Pick<Worker, 'holds' | 'handOn'>;
  /** When to stop waiting for what was started, on the clock of `performance.now()`; the rest runs on. */
  readonly deadline: number;
}

/** The rows that are due first. */
export interface DuePage {
  readonly due: readonly Due[];
  /** How many due rows were put off. */
  readonly putOff: number;
}

/** What a run of a delivery job started, and how its retries ended. */
export interface StartedDue {
  readonly due: number;
  readonly retried: { readonly succeeded: number; readonly failed: number };
}

/** Six fields. Above a minute it rounds down to whole minutes: too early rather than too late. */
export const everySeconds = (seconds: number): string =>
  seconds < 60 ? `*/${seconds} * * * * *` : `0 */${Math.min(59, Math.floor(seconds / 60))} * * * *`;

/**
 * Starts what is due, page by page, through the queues of the process that holds its receiver: one that does not answer
 * holds up neither this run nor other receivers.
 */
export const startDue = async (
  { queues, worker, deadline }: StartDueOptions,
  nextPage: () => Promise<DuePage>,
): Promise<StartedDue> => {
  const left = (): number => Math.max(0, deadline - performance.now());
  const startHere = (due: readonly Due[]): readonly Promise<Attempted>[] =>
    due.flatMap(({ key, deliveryId, attemptNumber }) => {
      if (attemptNumber > 0) return queues.retry(key, deliveryId) ?? [];
      queues.catchUp(key);
      return [];
    });
  const results = { succeeded: 0, failed: 0, lost: 0 };
  let found = 0;
  let isMore: boolean;
  do {
    const { due, putOff } = await nextPage();
    found += due.length;
    const started = startHere(due.filter(({ key }) => worker.holds(key))).map(
      async (attempt) => void results[await attempt]++,
    );
    await worker.handOn(due.filter(({ key }) => !worker.holds(key)));
    await within(left(), Promise.all(started));
    await queues.quiet(left());
    isMore = started.length + putOff > 0;
  } while (isMore && left() > 0);
  const { succeeded, failed } = results;
  return { due: found, retried: { succeeded, failed } };
};
