import { LRUCache } from 'lru-cache';
import { atMost } from '#kernel/at-most.ts';
import type { Bus, BusMessage, Consumer } from '#ports/bus.ts';
import type { DeliveryQueues } from './delivery-queues.ts';

export interface WorkerOptions {
  readonly bus: Bus;
  readonly topic: string;
  /** More processes in the group, more throughput. */
  readonly group: string;
  readonly queues: Pick<DeliveryQueues, 'offer' | 'retry' | 'takeReplayed'>;
  /** Told when receivers may have come to this process, or gone from it, since it began. */
  readonly onShared?: (worker: Pick<Worker, 'holds'>) => void;
}

/** A delivery that is due: for its first attempt (0), or after so many. */
export interface Due {
  readonly key: string;
  readonly deliveryId: string;
  readonly attemptNumber: number;
  /** A replay has queued it: it comes after what is new, and its holder finds it by its row. */
  readonly isReplayed: boolean;
}

/** The part of a process in the work of its group. A receiver is held by one process at a time. */
export interface Worker {
  /** Whether this process sends to the receiver. */
  holds(key: string): boolean;
  /** Wakes those who hold them, about each at most every few seconds. Errors: `EngineUnavailable`. */
  handOn(due: readonly Due[]): Promise<void>;
  /** Has whoever holds the receiver look for what a replay has queued. Errors: `EngineUnavailable`. */
  announceReplayed(key: string): Promise<void>;
  stop(): Promise<void>;
}

/** How finely the work of a topic can be shared out among processes. */
export const PARTITIONS = 8;

const AGAIN = 'again';
/** Instead of a delivery: what a replay has queued is to be looked for. */
const REPLAYED = 'replayed';
const TOLD_MILLISECONDS = 5000;
const TOLD_AT_MOST = 10_000;

const nameOf = ({ key, deliveryId, attemptNumber, isReplayed }: Due): string =>
  isReplayed ? `${key} ${REPLAYED}` : `${deliveryId} ${attemptNumber}`;

const messageOf = ({ key, deliveryId, attemptNumber, isReplayed }: Due): BusMessage => ({
  key,
  value: isReplayed ? REPLAYED : deliveryId,
  ...(attemptNumber > 0 && { headers: { [AGAIN]: 'true' } }),
});

/**
 * Takes wake-ups off the bus: key the receiver, value the delivery. Each is committed as soon as it is queued, so that
 * a receiver that hangs never holds up a partition; what a crash loses from the queue is found by its row.
 */
export const startWorker = async (options: WorkerOptions): Promise<Worker> => {
  const { bus, topic, group, queues, onShared } = options;
  const told = new LRUCache<string, true>({ ...atMost(TOLD_AT_MOST), ttl: TOLD_MILLISECONDS });
  let consumer: Consumer | null = null;
  const holds = (key: string): boolean => consumer?.holds(key) ?? false;
  const joined = await bus.consume({
    topic,
    group,
    handle: async ({ key, value, headers }) => {
      if (value === REPLAYED) queues.takeReplayed(key);
      else if (headers?.[AGAIN]) void queues.retry(key, value);
      else queues.offer(key, value);
    },
    onShared: () => consumer && onShared?.({ holds }),
  });
  consumer = joined;
  return {
    holds,
    handOn: async (due) => {
      const news = due.filter((one) => !told.has(nameOf(one)));
      const messages = new Map(news.map((one) => [nameOf(one), messageOf(one)]));
      await bus.publish(topic, [...messages.values()]);
      for (const name of messages.keys()) told.set(name, true);
    },
    announceReplayed: (key) => bus.publish(topic, [{ key, value: REPLAYED }]),
    stop: () => joined.stop(),
  };
};
