import { setTimeout as sleep } from 'node:timers/promises';
import { Partitioners, type Admin } from 'kafkajs';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { KafkaSettings } from './kafka-address.ts';
import type { KafkaConnection } from './kafka-connection.ts';
import { isResponse } from './kafka-errors.ts';

const ANSWER_MILLISECONDS = 8000;
const PING_MILLISECONDS = 4000;
const CREATION_MILLISECONDS = 6000;
/** With less time left there is no further try. */
const WORTH_TRYING_MILLISECONDS = 500;
const SPREADING_MILLISECONDS = 50;

/**
 * A group of the port belongs to one topic. In Kafka the members of a group share the partitions of everything that any
 * of them consumes, and kafkajs takes it that all of them consume the same.
 */
export const groupIdOf = (topic: string, group: string): string => `${group}:${topic}`;

const chooses = Partitioners.DefaultPartitioner();

/** The partition that the publisher's client chooses for a key. */
export const partitionOf = (key: string, partitions: number): number =>
  chooses({
    topic: '',
    message: { key, value: null },
    partitionMetadata: Array.from({ length: partitions }, (_, partitionId) => ({
      ...{ partitionId, partitionErrorCode: 0, leader: 0 },
      ...{ replicas: [], isr: [] },
    })),
  });

const unknownTopic = new Set(['UNKNOWN_TOPIC_OR_PARTITION', 'INVALID_TOPIC_EXCEPTION']);
const notYetServed = new Set([
  'UNKNOWN_TOPIC_OR_PARTITION',
  'LEADER_NOT_AVAILABLE',
  'NOT_LEADER_FOR_PARTITION',
  'OFFSET_NOT_AVAILABLE',
]);

/** 0 where there is no such topic. */
const partitionsOf = async (admin: Admin, topic: string): Promise<number> => {
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    return topics.find(({ name }) => name === topic)?.partitions.length ?? 0;
  } catch (error) {
    if (isResponse(error, unknownTopic)) return 0;
    throw error;
  }
};

/**
 * The brokers hear of a new partition one after another, its leader not first. Until then it refuses messages, and the
 * client would send those of other partitions twice.
 */
const untilServed = async (admin: Admin, topic: string, partitions: number): Promise<void> => {
  while ((await partitionsOf(admin, topic)) < partitions) await sleep(SPREADING_MILLISECONDS);
  while (!(await isServed(admin, topic))) await sleep(SPREADING_MILLISECONDS);
};

/** Only its leader tells a partition's offsets. */
const isServed = async (admin: Admin, topic: string): Promise<boolean> => {
  try {
    await admin.fetchTopicOffsets(topic);
    return true;
  } catch (error) {
    if (isResponse(error, notYetServed)) return false;
    throw error;
  }
};

/** The topics of a Kafka, and how far groups have come in them. Errors: those of the port. */
export class KafkaTopics {
  readonly #connection: Pick<KafkaConnection<Admin>, 'ask'>;
  readonly #replication: number | null;
  readonly #known = new Set<string>();

  constructor(
    connection: Pick<KafkaConnection<Admin>, 'ask'>,
    { replication }: Pick<KafkaSettings, 'replication'>,
  ) {
    this.#connection = connection;
    this.#replication = replication;
  }

  /** True where an older topic has gained partitions. */
  async declare(topic: string, partitions: number): Promise<boolean> {
    const hasGrown = await this.#ask(`declare the topic ${topic}`, async (admin) => {
      let found = await partitionsOf(admin, topic);
      const isNew = found === 0;
      if (isNew) {
        await this.#create(admin, topic, partitions);
        found = await partitionsOf(admin, topic);
      }
      if (found > 0 && found < partitions)
        await admin.createPartitions({ topicPartitions: [{ topic, count: partitions }] });
      await untilServed(admin, topic, partitions);
      return !isNew && found < partitions;
    });
    this.#known.add(topic);
    return hasGrown;
  }

  /** Throws a plain `Error` for a topic that was never declared. */
  async require(topic: string): Promise<void> {
    if (this.#known.has(topic)) return;
    if ((await this.partitions(topic)) === 0) throw new Error(`topic ${topic} was not declared`);
    this.#known.add(topic);
  }

  isKnown(topic: string): boolean {
    return this.#known.has(topic);
  }

  partitions(topic: string): Promise<number> {
    return this.#ask(`look the topic ${topic} up`, (admin) => partitionsOf(admin, topic));
  }

  /** What the topic still holds from where the group has committed, from the oldest where it never has. */
  async lag(topic: string, group: string): Promise<number> {
    const [ends, [committed]] = await this.#ask(`tell the lag of ${group}`, (admin) =>
      Promise.all([
        admin.fetchTopicOffsets(topic),
        admin.fetchOffsets({ groupId: groupIdOf(topic, group), topics: [topic] }),
      ]),
    );
    const nextOf = new Map(committed?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
    return ends.reduce(
      (sum, { partition, low, high }) =>
        sum + Math.max(0, Number(high) - Math.max(Number(low), nextOf.get(partition) ?? -1)),
      0,
    );
  }

  async ping(): Promise<void> {
    await this.#ask('answer', (admin) => admin.describeCluster(), PING_MILLISECONDS);
  }

  /** Another process may create it at the same time: then it exists, which is all that is wanted. */
  async #create(admin: Admin, topic: string, partitions: number): Promise<void> {
    const replication = this.#replication;
    // A write that only one copy has is lost with it; two of two would refuse every write while one is away.
    const configEntries =
      replication !== null && replication >= 3 ? [{ name: 'min.insync.replicas', value: '2' }] : [];
    await admin.createTopics({
      timeout: CREATION_MILLISECONDS,
      topics: [{ topic, numPartitions: partitions, replicationFactor: replication ?? -1, configEntries }],
    });
  }

  /**
   * Once more on a new connection, where there is time for it: the old one may have gone stale unnoticed, and kafkajs
   * does not try every question again. All of them may be asked twice.
   */
  async #ask<T>(
    what: string,
    question: (admin: Admin) => Promise<T>,
    milliseconds: number = ANSWER_MILLISECONDS,
  ): Promise<T> {
    const deadline = performance.now() + milliseconds;
    try {
      return await this.#connection.ask(what, milliseconds, question);
    } catch (error) {
      const left = Math.round(deadline - performance.now());
      if (!(error instanceof EngineUnavailable) || left < WORTH_TRYING_MILLISECONDS) throw error;
      return this.#connection.ask(what, left, question);
    }
  }
}
