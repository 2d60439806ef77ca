import { Partitioners } from 'kafkajs';
import type { Bus, BusMessage, ConsumeOptions, Consumer, ReceivedMessage } from '#ports/bus.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { readKafkaAddress, type KafkaSettings } from './kafka-address.ts';
import { createKafkaClient, type KafkaClient } from './kafka-client.ts';
import { KafkaConnection } from './kafka-connection.ts';
import { within } from './kafka-errors.ts';
import { KafkaConsumer, type KafkaLog } from './kafka-consumer.ts';
import { KafkaPublisher } from './kafka-publisher.ts';
import { KafkaTopics } from './kafka-topics.ts';

export interface KafkaBusOptions {
  /** `kafka://host:9092,host:9092?…`, as `readKafkaAddress` describes it. May hold a password. */
  readonly address: string;
  readonly log?: KafkaLog;
}

/** However much waits: after this its outcome is unknown. */
const PUBLISH_MILLISECONDS = 9500;
const topicName = /^[A-Za-z0-9._-]{1,249}$/;

/** Where messages of a topic go that have failed too often. */
export const deadLettersOf = (topic: string): string => `${topic}.dead-letters`;

/** The bus on Apache Kafka. A key is in the partition that Kafka's own clients would choose for it. */
class KafkaBus implements Bus {
  readonly #settings: KafkaSettings;
  readonly #log: KafkaLog | undefined;
  readonly #topics: KafkaTopics;
  readonly #publisher: KafkaPublisher;
  readonly #consumers = new Set<KafkaConsumer>();
  readonly #closeTopics: () => Promise<void>;
  #closing: Promise<void> | null = null;

  constructor({ address, log }: KafkaBusOptions) {
    this.#settings = readKafkaAddress(address);
    this.#log = log;
    const admin = new KafkaConnection(this.#createClient, ({ kafka }) => kafka.admin());
    this.#topics = new KafkaTopics(admin, this.#settings);
    this.#closeTopics = () => admin.close();
    const producer = new KafkaConnection(this.#createClient, ({ kafka }) =>
      kafka.producer({
        createPartitioner: Partitioners.DefaultPartitioner,
        idempotent: this.#settings.isIdempotent,
        allowAutoTopicCreation: false,
        metadataMaxAge: 30_000,
      }),
    );
    this.#publisher = new KafkaPublisher(producer);
  }

  async declareTopic(topic: string, partitions: number): Promise<void> {
    if (!topicName.test(topic)) throw new RangeError(`not a name for a topic: ${topic}`);
    if (!Number.isSafeInteger(partitions) || partitions < 1)
      throw new RangeError(`topic ${topic} needs at least one partition`);
    this.#refuseOnceClosed();
    await this.#declare(this.#nameOf(topic), this.#settings.partitions ?? partitions);
  }

  async publish(topic: string, messages: readonly BusMessage[]): Promise<void> {
    this.#refuseOnceClosed();
    await within(PUBLISH_MILLISECONDS, 'take the messages', this.#publish(this.#nameOf(topic), messages));
  }

  async consume(options: ConsumeOptions): Promise<Consumer> {
    const { group, handle, onShared } = options;
    const topic = this.#nameOf(options.topic);
    this.#refuseOnceClosed();
    await this.#topics.require(topic);
    if (this.#settings.deadLetterAfter !== null)
      await this.#declare(deadLettersOf(topic), await this.#topics.partitions(topic));
    this.#refuseOnceClosed();
    const consumer = new KafkaConsumer({
      topic,
      group,
      handle: (message) => handle({ ...message, topic: options.topic }),
      ...(onShared && { onShared }),
      countPartitions: () => this.#topics.partitions(topic),
      putAside: (message, failures, error) => this.#putAside(group, message, failures, error),
      createClient: this.#createClient,
      sessionMilliseconds: this.#settings.sessionMilliseconds,
      log: this.#log,
    });
    this.#consumers.add(consumer);
    try {
      await consumer.join();
    } catch (error) {
      this.#consumers.delete(consumer);
      throw error;
    }
    return {
      holds: (key) => consumer.holds(key),
      pause: () => consumer.pause(),
      resume: () => consumer.resume(),
      stop: () => consumer.stop().finally(() => this.#consumers.delete(consumer)),
    };
  }

  async lag(topic: string, group: string): Promise<number> {
    this.#refuseOnceClosed();
    const name = this.#nameOf(topic);
    await this.#topics.require(name);
    return this.#topics.lag(name, group);
  }

  async ping(): Promise<void> {
    this.#refuseOnceClosed();
    await this.#topics.ping();
  }

  /** Stops every consumer first. What they cannot commit any more comes again. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    await Promise.allSettled([...this.#consumers].map((consumer) => consumer.stop()));
    await Promise.all([this.#publisher.close(), this.#closeTopics()]);
  }

  /** What Kafka calls it. */
  #nameOf(topic: string): string {
    return this.#settings.prefix + topic;
  }

  async #declare(name: string, partitions: number): Promise<void> {
    if (await this.#topics.declare(name, partitions)) this.#publisher.forgetTopics();
  }

  async #publish(topic: string, messages: readonly BusMessage[]): Promise<void> {
    if (!this.#topics.isKnown(topic)) {
      await this.#topics.require(topic);
      this.#refuseOnceClosed();
    }
    await this.#publisher.publish(topic, messages);
  }

  readonly #createClient = (): KafkaClient => createKafkaClient(this.#settings);

  /** False where the setting does not ask for it yet, or Kafka does not take it: then it is delivered once more. */
  async #putAside(
    group: string,
    message: ReceivedMessage,
    failures: number,
    error: unknown,
  ): Promise<boolean> {
    const { deadLetterAfter } = this.#settings;
    if (deadLetterAfter === null || failures < deadLetterAfter) return false;
    const { topic, partition, offset, key, value, headers } = message;
    const origin = {
      'dead-letter-topic': topic,
      'dead-letter-partition': String(partition),
      'dead-letter-offset': String(offset),
      'dead-letter-group': group,
      'dead-letter-failures': String(failures),
      'dead-letter-reason': error instanceof Error ? error.message : String(error),
    };
    try {
      await this.#publisher.publish(deadLettersOf(topic), [
        { key, value, headers: { ...headers, ...origin } },
      ]);
    } catch (problem) {
      this.#log?.warn(
        { err: problem, topic, partition, offset },
        'a dead letter was not taken, trying again',
      );
      return false;
    }
    this.#log?.warn(
      { err: error, topic, partition, offset, group },
      'a message failed too often and was put aside',
    );
    return true;
  }

  #refuseOnceClosed(): void {
    if (this.#closing) throw new EngineUnavailable('the bus is closed');
  }
}

/** Opens the bus without a connection: Kafka is asked at the first use. Throws `RangeError` for a wrong address. */
export const openKafkaBus = (options: KafkaBusOptions): Bus => new KafkaBus(options);
