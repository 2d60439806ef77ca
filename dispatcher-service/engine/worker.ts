import type { Bus, Consumer } from '#ports/bus.ts';
import type { DeliveryQueues } from './delivery-queues.ts';

export interface WorkerOptions {
  readonly bus: Bus;
  readonly topic: string;
  /** More processes in the group, more throughput. */
  readonly group: string;
  readonly queues: Pick<DeliveryQueues, 'offer'>;
}

/** How finely the work of a topic can be shared out among processes. */
export const PARTITIONS = 8;

/**
 * Takes wake-ups off the bus: key the receiver, value the delivery. Each is committed as soon as it is queued, so that
 * a receiver that hangs never holds up a partition; what a crash loses from the queue is found by its row.
 */
export const startWorker = async ({ bus, topic, group, queues }: WorkerOptions): Promise<Consumer> =>
  bus.consume({ topic, group, handle: async ({ key, value }) => queues.offer(key, value) });
