import type { Clock } from '#kernel/clock.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { pause } from '#runtime/back-off.ts';
import type { Job } from '#runtime/job-runner.ts';
import type { DeliveryProgress } from '#topics/webhook-delivery.ts';
import { dueFilter, type DeliveryTable } from './delivery-table.ts';
import type { LogFollower } from './follow-log.ts';

export interface SettledOptions<Row extends DeliveryProgress> {
  readonly stateStore: DocumentStore;
  readonly clock: Clock;
  readonly table: Pick<DeliveryTable<Row>, 'count'>;
  readonly follower: LogFollower;
  /** Sends what is due. */
  readonly job: Job;
}

const LOOK_MILLISECONDS = 20;

/**
 * True once a position has been turned into deliveries and none is due or under way; those that wait for a later retry
 * do not count. False after `timeoutMs` of real time.
 */
export const createSettled =
  <Row extends DeliveryProgress>({ stateStore, clock, table, follower, job }: SettledOptions<Row>) =>
  async (position: number, timeoutMs: number): Promise<boolean> => {
    const deadline = performance.now() + timeoutMs;
    if (!(await follower.waitFor(position, timeoutMs))) return false;
    for (;;) {
      const due = await table.count(stateStore, dueFilter(clock.now()));
      // In this order: one that is claimed between the two is counted by the second.
      if (due === 0 && (await table.count(stateStore, { status: 'Sending' })) === 0) return true;
      if (performance.now() >= deadline) return false;
      if (due > 0) await job.runOnce(clock.now());
      await pause(LOOK_MILLISECONDS);
    }
  };
