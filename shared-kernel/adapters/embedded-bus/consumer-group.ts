import type { ConsumeOptions, Consumer } from '#ports/bus.ts';
import type { MessageLog } from './message-log.ts';
import { partitionOf } from './partition-of.ts';
import { PartitionDelivery, type Handler, type RedeliveryPause } from './partition-delivery.ts';

export interface ConsumerGroupOptions {
  readonly group: string;
  readonly topic: string;
  readonly log: MessageLog;
  readonly pause: RedeliveryPause;
  /** Ends the group's deliveries. */
  readonly closed: AbortSignal;
}

/** The consumers of one topic that share its partitions, all in this process. */
export class ConsumerGroup {
  readonly #options: ConsumerGroupOptions;
  readonly #partitions: PartitionDelivery[] = [];
  readonly #consumers = new Map<Handler, Consumer>();

  constructor(options: ConsumerGroupOptions) {
    this.#options = options;
    this.grow();
  }

  join({ handle, onShared }: Pick<ConsumeOptions, 'handle' | 'onShared'>): Consumer {
    const handler = { handle, onShared, isPaused: false };
    let stopping: Promise<void> | null = null;
    const consumer = {
      holds: (key: string) =>
        this.#partitions[partitionOf(key, this.#partitions.length)]?.isAssignedTo(handler) ?? false,
      pause: () => {
        handler.isPaused = true;
      },
      resume: () => {
        handler.isPaused = false;
        this.wake();
      },
      stop: () => (stopping ??= this.#leave(handler)),
    };
    this.#consumers.set(handler, consumer);
    this.#share();
    return consumer;
  }

  /** Takes in the partitions that the topic has gained. */
  grow(): void {
    const { group, topic, log, pause, closed } = this.#options;
    for (let partition = this.#partitions.length; partition < log.partitions(topic); partition++)
      this.#partitions.push(new PartitionDelivery({ group, topic, partition }, log, pause, closed));
    this.#share();
  }

  wake(partitions: Iterable<number> = this.#partitions.keys()): void {
    for (const partition of partitions) this.#partitions[partition]?.wake();
  }

  /** Waits for what is being handled. What cannot be committed any more comes again. */
  async stop(): Promise<void> {
    await Promise.allSettled([...this.#consumers.values()].map((consumer) => consumer.stop()));
  }

  #share(): void {
    const handlers = [...this.#consumers.keys()];
    for (const [index, partition] of this.#partitions.entries())
      partition.assign(handlers[index % handlers.length] ?? null);
    for (const { onShared } of handlers) onShared?.();
  }

  async #leave(handler: Handler): Promise<void> {
    this.#consumers.delete(handler);
    this.#share();
    await Promise.all(this.#partitions.map((partition) => partition.settled(handler)));
  }
}
