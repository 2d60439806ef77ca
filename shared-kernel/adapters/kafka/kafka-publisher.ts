import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Message, Producer } from 'kafkajs';
import type { BusMessage } from '#ports/bus.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { KafkaConnection } from './kafka-connection.ts';

/**
 * With a broker that does not answer, a publish waits for the send under way and then for its own, or fails with the
 * former: twice this is the longest.
 */
const SEND_MILLISECONDS = 4500;
const ACKNOWLEDGEMENT_MILLISECONDS = 3000;
const ALL_IN_SYNC_REPLICAS = -1;
/** By default brokers take a megabyte for each partition and send. A longer message goes alone, for them to judge. */
const SEND_BYTES = 900_000;
const SEND_MESSAGES = 5000;
/** What Kafka adds to a message at most, but for its headers' lengths. */
const MESSAGE_OVERHEAD_BYTES = 64;
const HEADER_OVERHEAD_BYTES = 8;
const WAITING_BYTES = 64_000_000;

interface Publication {
  left: number;
  readonly done: PromiseWithResolvers<void>;
}

interface Waiting {
  readonly topic: string;
  readonly message: Message;
  readonly bytes: number;
  readonly publication: Publication;
}

const bytesOf = ({ key, value, headers = {} }: BusMessage): number =>
  Object.entries(headers).reduce(
    (sum, [name, text]) => sum + Buffer.byteLength(name) + Buffer.byteLength(text) + HEADER_OVERHEAD_BYTES,
    Buffer.byteLength(key) + Buffer.byteLength(value) + MESSAGE_OVERHEAD_BYTES,
  );

/**
 * Sends messages in the order in which they were published, one send at a time. Publishes that come while a send is
 * under way share the next one.
 */
export class KafkaPublisher {
  readonly #connection: KafkaConnection<Producer>;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #sending: Promise<void> | null = null;
  #isStale = false;

  constructor(connection: KafkaConnection<Producer>) {
    this.#connection = connection;
  }

  /** Resolves once every copy in sync has all of them. The topic has to be there. */
  async publish(topic: string, messages: readonly BusMessage[]): Promise<void> {
    if (messages.length === 0) return;
    if (this.#waitingBytes > WAITING_BYTES)
      throw new EngineUnavailable('Kafka cannot take the messages: too many of them wait already');
    const publication = { left: messages.length, done: Promise.withResolvers<void>() };
    for (const message of messages) {
      const bytes = bytesOf(message);
      this.#waiting.push({ topic, message: { ...message }, bytes, publication });
      this.#waitingBytes += bytes;
    }
    this.#sending ??= this.#sendAll();
    await publication.done.promise;
  }

  /** A topic has gained partitions: the next send learns of them. */
  forgetTopics(): void {
    this.#isStale = true;
  }

  /** Waits for what was published. */
  async close(): Promise<void> {
    await this.#sending;
    await this.#connection.close();
  }

  async #sendAll(): Promise<void> {
    // What else is published in this turn goes along.
    await nextTurn();
    while (this.#waiting.length > 0) await this.#deliver(this.#take());
    this.#sending = null;
  }

  /** A batch that the broker refuses is sent in halves, so that a message that is too long fails alone. */
  async #deliver(batch: readonly Waiting[]): Promise<void> {
    try {
      await this.#send(batch);
      for (const { publication } of batch) if (--publication.left === 0) publication.done.resolve();
    } catch (error) {
      if (error instanceof EngineUnavailable || batch.length === 1) return this.#fail(batch, error);
      const half = Math.ceil(batch.length / 2);
      await this.#deliver(batch.slice(0, half));
      await this.#deliver(batch.slice(half));
    }
  }

  #take(): Waiting[] {
    let [count, bytes] = [0, 0];
    for (const waiting of this.#waiting) {
      if (count > 0 && (count === SEND_MESSAGES || bytes + waiting.bytes > SEND_BYTES)) break;
      count++;
      bytes += waiting.bytes;
    }
    this.#waitingBytes -= bytes;
    return this.#waiting.splice(0, count);
  }

  async #send(batch: readonly Waiting[]): Promise<void> {
    if (this.#isStale) {
      this.#isStale = false;
      await this.#connection.close();
    }
    const byTopic = Map.groupBy(batch, ({ topic }) => topic);
    const topicMessages = [...byTopic].map(([topic, waiting]) => ({
      topic,
      messages: waiting.map(({ message }) => message),
    }));
    await this.#connection.ask('take the messages', SEND_MILLISECONDS, (producer) =>
      producer.sendBatch({
        acks: ALL_IN_SYNC_REPLICAS,
        timeout: ACKNOWLEDGEMENT_MILLISECONDS,
        topicMessages,
      }),
    );
  }

  /**
   * What a publish has left in the queue fails with it. While Kafka is away, so does everything: it would only wait.
   */
  #fail(batch: readonly Waiting[], error: unknown): void {
    const isAway = error instanceof EngineUnavailable;
    const failed = new Set(batch.map(({ publication }) => publication));
    const [gone, kept] = [[], []] as [Waiting[], Waiting[]];
    for (const waiting of this.#waiting)
      (isAway || failed.has(waiting.publication) ? gone : kept).push(waiting);
    this.#waiting = kept;
    this.#waitingBytes -= gone.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { publication } of [...batch, ...gone]) publication.done.reject(error);
  }
}
