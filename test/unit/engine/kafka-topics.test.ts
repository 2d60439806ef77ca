import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import type { Admin } from 'kafkajs';
import { KafkaTopics } from '#adapters/kafka/kafka-topics.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';

/** Answers each question with the next of these: an error, or how many partitions the topic has. */
const topicsOn = (answers: readonly (Error | number)[]) => {
  const asked: number[] = [];
  const connection = {
    ask: async <T>(_what: string, milliseconds: number, question: (admin: Admin) => Promise<T>) => {
      const answer = answers[asked.push(milliseconds) - 1] ?? 0;
      await nextTurn();
      if (answer instanceof Error) throw answer;
      const partitions = Array.from({ length: answer });
      const admin = {
        describeCluster: () => Promise.resolve({}),
        fetchTopicMetadata: () => Promise.resolve({ topics: [{ name: 'orders', partitions }] }),
      };
      return question(admin as unknown as Admin);
    },
  };
  return { asked, topics: new KafkaTopics(connection, { replication: null }) };
};

const failureOf = (question: Promise<unknown>): Promise<unknown> =>
  question.then(
    () => null,
    (error: unknown) => error,
  );

describe('questions to Kafka', () => {
  const stale = new EngineUnavailable('the connection was closed');

  it('are retried once in the remaining time if a connection is stale', async () => {
    const { asked, topics } = topicsOn([stale, 3]);
    expect(await topics.partitions('orders')).to.equal(3);
    const [first = 0, second = Infinity] = asked;
    expect(second).to.be.at.most(first);
  });

  it('are asked twice at most', async () => {
    const { asked, topics } = topicsOn([stale, stale, 3]);
    expect(await failureOf(topics.ping())).to.equal(stale);
    expect(asked).to.have.length(2);
  });

  it('are not asked again when Kafka has understood and refuses', async () => {
    const refused = new Error('Kafka refuses');
    const { asked, topics } = topicsOn([refused, 3]);
    expect(await failureOf(topics.partitions('orders'))).to.equal(refused);
    expect(asked).to.have.length(1);
  });
});
