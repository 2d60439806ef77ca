import type { Consumer as KafkaJsConsumer, EachBatchPayload, KafkaMessage } from 'kafkajs';
import type { ReceivedMessage } from '#ports/bus.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { KafkaClient } from './kafka-client.ts';
import type { Offsets } from './kafka-committer.ts';
import { closed } from './kafka-connection.ts';
import { portErrorOf, within } from './kafka-errors.ts';
import type { KafkaPartition } from './kafka-partition.ts';
import { groupIdOf } from './kafka-topics.ts';

export interface SessionOptions {
  readonly topic: string;
  readonly group: string;
  readonly sessionMilliseconds: number;
  readonly partition: (number: number) => KafkaPartition;
  /** The group has reassigned its partitions: these are ours. A new member knows nothing of what it had before. */
  readonly onAssigned: (partitions: ReadonlySet<number>, isNewMember: boolean) => void;
}

/**
 * How long a fetch waits for messages: this long, at most, a pause, a stop and a change in the group are noticed late.
 */
const FETCH_MILLISECONDS = 250;
const HEARTBEAT_MILLISECONDS = 250;
const FETCH_BYTES_OF_PARTITION = 1_048_576;
const FETCH_BYTES = 10_485_760;
const COMMIT_MILLISECONDS = 5000;
const LEAVE_MILLISECONDS = 8000;
/** Of tries inside kafkajs. Meanwhile it stays the same member of the group; after that we begin a new session. */
const RETRIES = 10;

/**
 * One membership in a group, from joining until it leaves or breaks. kafkajs fetches and sends heartbeats; what it
 * fetches is ready in the partitions, so that neither a slow handler nor a failing one keeps it from that.
 */
export class KafkaSession {
  readonly #options: SessionOptions;
  readonly #client: KafkaClient;
  readonly #consumer: KafkaJsConsumer;
  readonly #ended = Promise.withResolvers<unknown>();
  /** Of partitions that are full: how to fetch on. */
  readonly #paused = new Map<number, () => void>();
  #commit: EachBatchPayload['commitOffsetsIfNecessary'] | null = null;
  #member: string | null = null;
  #lastSign = performance.now();
  #isAbandoned = false;

  constructor(client: KafkaClient, options: SessionOptions) {
    this.#client = client;
    this.#options = options;
    this.#consumer = client.kafka.consumer({
      groupId: groupIdOf(options.topic, options.group),
      sessionTimeout: options.sessionMilliseconds,
      rebalanceTimeout: this.#rebalanceMilliseconds,
      heartbeatInterval: HEARTBEAT_MILLISECONDS,
      maxWaitTimeInMs: FETCH_MILLISECONDS,
      maxBytesPerPartition: FETCH_BYTES_OF_PARTITION,
      maxBytes: FETCH_BYTES,
      metadataMaxAge: 30_000,
      allowAutoTopicCreation: false,
      // What outlives the retries ends the session: a new one remembers nothing that could be wrong.
      retry: { retries: RETRIES, restartOnFailure: () => Promise.resolve(false) },
    });
  }

  get hasJoined(): boolean {
    return this.#member !== null;
  }

  /** Joins and delivers until the membership breaks or `leave` is called; returns why. Never throws. */
  async run(): Promise<unknown> {
    const { topic } = this.#options;
    this.#listen();
    const watch = setInterval(() => this.#watch(), this.#options.sessionMilliseconds);
    try {
      await this.#consumer.connect();
      await this.#consumer.subscribe({ topics: [topic], fromBeginning: true });
      // Resolves once it has joined, or has crashed.
      await this.#consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        eachBatch: (payload) => this.#take(payload),
      });
    } catch (error) {
      this.#ended.resolve(error);
    }
    const reason = await this.#ended.promise;
    clearInterval(watch);
    if (this.#isAbandoned) this.#client.cut();
    await closed(this.#consumer, this.#client, LEAVE_MILLISECONDS);
    return reason;
  }

  /** Says goodbye, so that the partitions go to others at once. `run` resolves when that is done. */
  leave(): void {
    this.#ended.resolve(null);
  }

  /** Leaves without notice, where no broker would hear it. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#ended.resolve(null);
  }

  /** Throws what the port throws. */
  async commit(offsets: Offsets): Promise<void> {
    // Not `consumer.commitOffsets`: while the consumer is stopping that one does nothing and says that it did.
    if (!this.#commit) throw new EngineUnavailable('Kafka cannot commit: not a member of the group');
    const partitions = [...offsets].map(([partition, next]) => ({ partition, offset: String(next) }));
    const committed = this.#commit({ topics: [{ topic: this.#options.topic, partitions }] });
    try {
      await within(COMMIT_MILLISECONDS, 'commit', committed);
    } catch (error) {
      throw portErrorOf(error, 'commit');
    }
  }

  /** Fetches on where there is room again. */
  fetchOn(): void {
    for (const [number, resume] of this.#paused)
      if (this.#options.partition(number).hasRoom) this.#resume(number, resume);
  }

  get #rebalanceMilliseconds(): number {
    return 2 * this.#options.sessionMilliseconds;
  }

  #listen(): void {
    const { GROUP_JOIN, HEARTBEAT, CRASH } = this.#consumer.events;
    this.#consumer.on(CRASH, ({ payload }) => this.#ended.resolve(payload.error));
    this.#consumer.on(HEARTBEAT, () => this.#noteSign());
    this.#consumer.on(GROUP_JOIN, ({ payload: { memberId, memberAssignment } }) => {
      this.#noteSign();
      const assigned = new Set(memberAssignment[this.#options.topic]);
      const isNewMember = memberId !== this.#member;
      this.#member = memberId;
      for (const [number, resume] of this.#paused)
        if (isNewMember || !assigned.has(number)) this.#resume(number, resume);
      this.#options.onAssigned(assigned, isNewMember);
    });
  }

  /** Nothing here waits for a handler. */
  async #take({ batch, resolveOffset, pause, commitOffsetsIfNecessary }: EachBatchPayload): Promise<void> {
    this.#commit = commitOffsetsIfNecessary;
    const partition = this.#options.partition(batch.partition);
    partition.accept(batch.messages.map((message) => receivedOf(batch.topic, batch.partition, message)));
    resolveOffset(batch.lastOffset());
    if (partition.isFull) this.#paused.set(batch.partition, pause());
  }

  #resume(number: number, resume: () => void): void {
    this.#paused.delete(number);
    resume();
  }

  #noteSign(): void {
    this.#lastSign = performance.now();
  }

  /** Whatever kafkajs waits for: a member that has been silent for this long is out. */
  #watch(): void {
    const silence = performance.now() - this.#lastSign;
    if (silence > this.#options.sessionMilliseconds + this.#rebalanceMilliseconds)
      this.#ended.resolve(new Error(`no sign of life for ${Math.round(silence)} ms`));
  }
}

const textOf = (value: Buffer | string | null | undefined): string => value?.toString() ?? '';

const receivedOf = (
  topic: string,
  partition: number,
  { key, value, offset, headers = {} }: KafkaMessage,
): ReceivedMessage => {
  const received = { topic, partition, offset: Number(offset), key: textOf(key), value: textOf(value) };
  const names = Object.keys(headers);
  if (names.length === 0) return received;
  // Of a repeated foreign header, the first.
  return {
    ...received,
    headers: Object.fromEntries(names.map((name) => [name, textOf([headers[name]].flat()[0])])),
  };
};
