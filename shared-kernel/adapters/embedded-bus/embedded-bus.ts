import type { Bus, BusMessage, ConsumeOptions, Consumer } from '#ports/bus.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { ConsumerGroup } from './consumer-group.ts';
import type { MessageLog } from './message-log.ts';
import { partitionOf } from './partition-of.ts';
import type { RedeliveryPause } from './partition-delivery.ts';

export interface EmbeddedBusOptions {
  readonly log: MessageLog;
  /** Before a message is delivered again. Default: 100 ms, doubled up to 5 s. */
  readonly redeliveryPause?: RedeliveryPause | undefined;
}

const defaultPause: RedeliveryPause = { firstMilliseconds: 100, longestMilliseconds: 5000 };
/** What Kafka takes as well. */
const topicName = /^[A-Za-z0-9._-]{1,249}$/;

/** A bus inside one process over a log of messages: a publish wakes the consumers. */
export class EmbeddedBus implements Bus {
  readonly #log: MessageLog;
  readonly #pause: RedeliveryPause;
  readonly #groups = new Map<string, Map<string, ConsumerGroup>>();
  readonly #closed = new AbortController();
  #closing: Promise<void> | null = null;

  constructor({ log, redeliveryPause = defaultPause }: EmbeddedBusOptions) {
    this.#log = log;
    this.#pause = redeliveryPause;
  }

  async declareTopic(topic: string, partitions: number): Promise<void> {
    if (!topicName.test(topic)) throw new RangeError(`not a name for a topic: ${topic}`);
    if (!Number.isSafeInteger(partitions) || partitions < 1)
      throw new RangeError(`topic ${topic} needs at least one partition`);
    this.#refuseOnceClosed();
    await this.#log.declare(topic, partitions);
    for (const group of this.#groupsOf(topic)) group.grow();
  }

  async publish(topic: string, messages: readonly BusMessage[]): Promise<void> {
    const partitions = this.#partitionsOf(topic);
    if (messages.length === 0) return;
    const addressed = messages.map((message) => ({
      ...message,
      partition: partitionOf(message.key, partitions),
    }));
    try {
      await this.#log.append(topic, addressed);
    } finally {
      // After a failure too: it may have been appended all the same.
      const touched = new Set(addressed.map(({ partition }) => partition));
      for (const group of this.#groupsOf(topic)) group.wake(touched);
    }
  }

  async consume(options: ConsumeOptions): Promise<Consumer> {
    const { topic, group } = options;
    this.#partitionsOf(topic);
    await this.#log.join(group, topic);
    this.#refuseOnceClosed();
    return this.#group(topic, group).join(options);
  }

  async lag(topic: string, group: string): Promise<number> {
    let lag = 0;
    for (let partition = 0; partition < this.#partitionsOf(topic); partition++)
      lag += this.#log.countFrom(topic, partition, this.#log.committed({ group, topic, partition }));
    return lag;
  }

  async ping(): Promise<void> {
    this.#refuseOnceClosed();
    await this.#log.ping();
  }

  /** Stops every consumer first. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const groups = [...this.#groups.values()].flatMap((ofTopic) => [...ofTopic.values()]);
    await Promise.all(groups.map((group) => group.stop()));
    this.#closed.abort();
    await this.#log.close();
  }

  #group(topic: string, name: string): ConsumerGroup {
    const groups = this.#groups.get(topic) ?? new Map<string, ConsumerGroup>();
    this.#groups.set(topic, groups);
    const found = groups.get(name);
    if (found) return found;
    const closed = this.#closed.signal;
    const group = new ConsumerGroup({ group: name, topic, log: this.#log, pause: this.#pause, closed });
    groups.set(name, group);
    return group;
  }

  #groupsOf(topic: string): Iterable<ConsumerGroup> {
    return this.#groups.get(topic)?.values() ?? [];
  }

  #partitionsOf(topic: string): number {
    this.#refuseOnceClosed();
    const partitions = this.#log.partitions(topic);
    if (partitions === 0) throw new Error(`topic ${topic} was not declared`);
    return partitions;
  }

  #refuseOnceClosed(): void {
    if (this.#closing) throw new EngineUnavailable('the bus is closed');
  }
}
