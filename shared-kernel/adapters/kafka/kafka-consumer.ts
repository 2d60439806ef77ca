import { setTimeout as sleep } from 'node:timers/promises';
import type { ConsumeOptions, Consumer } from '#ports/bus.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { KafkaClient } from './kafka-client.ts';
import { KafkaCommitter } from './kafka-committer.ts';
import { within } from './kafka-errors.ts';
import { KafkaPartition, type PartitionOptions } from './kafka-partition.ts';
import { KafkaSession } from './kafka-session.ts';
import { partitionOf } from './kafka-topics.ts';

/** Where the adapter says what an operator should know. */
export interface KafkaLog {
  warn(details: object, message: string): void;
}

export interface KafkaConsumerOptions extends ConsumeOptions, Pick<PartitionOptions, 'putAside'> {
  /** Each session has a client of its own: kafkajs lets the consumers of one client share what they know of a group. */
  readonly createClient: () => KafkaClient;
  readonly sessionMilliseconds: number;
  readonly log: KafkaLog | undefined;
  /** How many partitions the topic has now. */
  readonly countPartitions: () => Promise<number>;
}

const FIRST_PAUSE_MILLISECONDS = 250;
const LONGEST_PAUSE_MILLISECONDS = 2000;

/** A consumer of a group: whenever its session breaks it begins a new one, until it is stopped. */
export class KafkaConsumer implements Consumer {
  readonly #options: KafkaConsumerOptions;
  readonly #partitions = new Map<number, KafkaPartition>();
  readonly #committer: KafkaCommitter;
  readonly #joined = Promise.withResolvers<void>();
  readonly #stopped = new AbortController();
  #session: KafkaSession | null = null;
  #living: Promise<void> | null = null;
  #stopping: Promise<void> | null = null;
  #assigned: ReadonlySet<number> = new Set();
  #partitionCount = 0;
  #isPaused = false;
  /** A session broke before the commit of what it had handled. */
  #hasLostCommit = false;

  constructor(options: KafkaConsumerOptions) {
    this.#options = options;
    this.#committer = new KafkaCommitter(this.#partitions, async (offsets) => {
      if (!this.#session) throw new EngineUnavailable('Kafka cannot commit: it is away');
      await this.#session.commit(offsets);
    });
  }

  /** Resolves once the group has given it its partitions. Throws `EngineUnavailable` when that takes too long. */
  async join(): Promise<void> {
    // A member of the group that was killed holds the others up until its session is over.
    const milliseconds = 3 * this.#options.sessionMilliseconds;
    this.#living = this.#live();
    try {
      await within(milliseconds, `let a consumer join ${this.#options.group}`, this.#joined.promise);
    } catch (error) {
      await this.stop().catch(() => undefined);
      throw error;
    }
  }

  holds(key: string): boolean {
    return this.#partitionCount > 0 && this.#assigned.has(partitionOf(key, this.#partitionCount));
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    for (const partition of this.#partitions.values()) partition.wake();
  }

  stop(): Promise<void> {
    return (this.#stopping ??= this.#stop());
  }

  async #stop(): Promise<void> {
    this.#joined.reject(new EngineUnavailable('the consumer was stopped before it had joined'));
    await Promise.all([...this.#partitions.values()].map((partition) => partition.stop()));
    let problem: unknown = null;
    try {
      await this.#committer.finish();
      if (this.#hasLostCommit) problem = new EngineUnavailable('Kafka was away before the last commit');
    } catch (error) {
      problem = error;
    }
    this.#stopped.abort();
    if (problem === null) this.#session?.leave();
    else this.#session?.abandon();
    await this.#living;
    if (problem !== null) throw problem;
  }

  async #live(): Promise<void> {
    const { topic, group, log } = this.#options;
    let milliseconds = FIRST_PAUSE_MILLISECONDS;
    while (!this.#stopped.signal.aborted) {
      const session = (this.#session = this.#newSession());
      const reason = await session.run();
      this.#session = null;
      this.#hasLostCommit ||= this.#committer.isBehind;
      for (const partition of this.#partitions.values()) partition.release();
      if (this.#stopped.signal.aborted) return;
      if (session.hasJoined) milliseconds = FIRST_PAUSE_MILLISECONDS;
      log?.warn({ err: reason, topic, group }, 'a consumer has lost Kafka and joins again');
      await sleep(milliseconds, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
      milliseconds = Math.min(LONGEST_PAUSE_MILLISECONDS, 2 * milliseconds);
    }
  }

  #newSession(): KafkaSession {
    const { topic, group, sessionMilliseconds, createClient } = this.#options;
    return new KafkaSession(createClient(), {
      topic,
      group,
      sessionMilliseconds,
      partition: (number) => this.#partition(number),
      onAssigned: (assigned, isNewMember) => {
        for (const [number, partition] of this.#partitions)
          if (isNewMember || !assigned.has(number)) partition.release();
        this.#hasLostCommit = false;
        this.#assigned = assigned;
        void this.#noteShared();
      },
    });
  }

  /** A topic that has gained partitions shares its keys out differently, and then its group has shared them again. */
  async #noteShared(): Promise<void> {
    const { countPartitions, onShared, topic, log } = this.#options;
    while (!this.#stopped.signal.aborted) {
      try {
        this.#partitionCount = await countPartitions();
        this.#joined.resolve();
        return onShared?.();
      } catch (error) {
        log?.warn({ err: error, topic }, 'a consumer cannot tell how many partitions its topic has yet');
        await sleep(FIRST_PAUSE_MILLISECONDS, undefined, { signal: this.#stopped.signal }).catch(
          () => undefined,
        );
      }
    }
  }

  #partition(number: number): KafkaPartition {
    const found = this.#partitions.get(number);
    if (found) return found;
    const { handle, putAside } = this.#options;
    const partition = new KafkaPartition({
      handle,
      putAside,
      isPaused: () => this.#isPaused,
      onProgress: () => {
        this.#committer.wake();
        this.#session?.fetchOn();
      },
    });
    this.#partitions.set(number, partition);
    if (this.#stopping) void partition.stop();
    return partition;
  }
}
