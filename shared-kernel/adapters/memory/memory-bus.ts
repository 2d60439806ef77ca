import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Bus, ReceivedMessage } from '#ports/bus.ts';
import { EmbeddedBus, type EmbeddedBusOptions } from '#adapters/embedded-bus/embedded-bus.ts';
import type {
  AddressedMessage,
  GroupPartition,
  MessageLog,
  PageLimit,
} from '#adapters/embedded-bus/message-log.ts';

/** A bus for tests: gone with the process, and keeping every message until then. */
export const createMemoryBus = (options: Omit<EmbeddedBusOptions, 'log'> = {}): Bus =>
  new EmbeddedBus({ ...options, log: new MemoryMessageLog() });

class MemoryMessageLog implements MessageLog {
  readonly #topics = new Map<string, ReceivedMessage[][]>();
  readonly #committed = new Map<string, number>();

  partitions(topic: string): number {
    return this.#topics.get(topic)?.length ?? 0;
  }

  async declare(topic: string, partitions: number): Promise<void> {
    const found = this.#topics.get(topic) ?? [];
    while (found.length < partitions) found.push([]);
    this.#topics.set(topic, found);
  }

  async append(topic: string, messages: readonly AddressedMessage[]): Promise<void> {
    await nextTurn();
    for (const message of messages) {
      const partition = this.#messages(topic, message.partition);
      partition.push({ ...message, topic, offset: partition.length });
    }
  }

  page(topic: string, partition: number, from: number, limit: PageLimit): readonly ReceivedMessage[] {
    return this.#messages(topic, partition).slice(from, from + limit.messages);
  }

  async join(): Promise<void> {}

  async commit(place: GroupPartition, next: number): Promise<void> {
    await nextTurn();
    this.#committed.set(nameOf(place), Math.max(next, this.committed(place)));
  }

  committed(place: GroupPartition): number {
    return this.#committed.get(nameOf(place)) ?? 0;
  }

  countFrom(topic: string, partition: number, from: number): number {
    return this.#messages(topic, partition).length - from;
  }

  async ping(): Promise<void> {}

  async close(): Promise<void> {}

  #messages(topic: string, partition: number): ReceivedMessage[] {
    return this.#topics.get(topic)?.[partition] ?? [];
  }
}

const nameOf = ({ group, topic, partition }: GroupPartition): string =>
  JSON.stringify([group, topic, partition]);
