import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { deadLettersOf, openKafkaBus } from '#adapters/kafka/kafka-bus.ts';
import type { Bus, ReceivedMessage } from '#ports/bus.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { onRealEngine } from '#test/support/real-engine.ts';
import {
  busContract,
  declared,
  durableBusContract,
  Inbox,
  keyed,
  newGroup,
  oneForEach,
  rejectionOf,
} from './bus.contract.ts';

onRealEngine('TEST_BUS', (address) => {
  const opened: Bus[] = [];
  const open = (parameters: string = ''): Bus => {
    const bus = openKafkaBus({ address: `${address}${parameters}` });
    opened.push(bus);
    return bus;
  };
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((bus) => bus.close()));
  });

  for (const [name, parameters] of [
    ['Kafka', ''],
    ['Kafka with the idempotent producer', '?idempotent=true'],
  ] as const) {
    busContract(name, async () => {
      const bus = open(parameters);
      return { bus, dispose: () => bus.close() };
    });
  }

  durableBusContract('Kafka', async () => {
    let bus = open();
    return {
      bus,
      reopen: async () => {
        await bus.close();
        bus = open();
        return bus;
      },
      dispose: () => bus.close(),
    };
  });

  describe('two shops with prefixes on one Kafka', () => {
    it('have the same topics and groups, each to itself', async () => {
      const [topic, group] = [newGroup(), newGroup()];
      const received: ReceivedMessage[][] = [[], []];
      for (const [index, prefix] of ['north.', 'south.'].entries()) {
        const bus = open(`?prefix=${prefix}`);
        await bus.declareTopic(topic, 1);
        await bus.publish(topic, [keyed('a', index)]);
        const { promise: arrived, resolve } = Promise.withResolvers<void>();
        const handle = (message: ReceivedMessage): Promise<void> => {
          received[index]?.push(message);
          resolve();
          return Promise.resolve();
        };
        const consumer = await bus.consume({ topic, group, handle });
        await arrived;
        await consumer.stop();
        expect(await bus.lag(topic, group)).to.equal(0);
      }
      const seen = received.map((messages) => messages.map((message) => [message.topic, message.value]));
      expect(seen).to.deep.equal([[[topic, '0']], [[topic, '1']]]);
    });
  });

  describe('an address that names a number of partitions', () => {
    it('decides how many a topic has, whatever its declaration asks for', async () => {
      const topic = newGroup();
      const bus = open('?partitions=3');
      await bus.declareTopic(topic, 1);
      await bus.publish(topic, oneForEach(30));
      const seen = new Set<number>();
      const { promise: isSpread, resolve } = Promise.withResolvers<void>();
      const handle = ({ partition }: ReceivedMessage): Promise<void> => {
        if (seen.add(partition).size === 3) resolve();
        return Promise.resolve();
      };
      const consumer = await bus.consume({ topic, group: newGroup(), handle });
      await isSpread;
      await consumer.stop();
      expect([...seen].toSorted()).to.deep.equal([0, 1, 2]);
    });
  });

  describe('what Kafka refuses', () => {
    it('is no outage: more copies than there are brokers', async () => {
      const problem = await rejectionOf(open('?replication=99').declareTopic('too-many-copies', 1));
      expect(problem).to.be.instanceOf(Error).and.not.instanceOf(EngineUnavailable);
      expect(String(problem)).to.include('Replication');
    });

    it('is no outage, nor does it take anything else along: a message that is too long', async () => {
      const bus = open();
      const topic = await declared(bus, 1);
      const inbox = new Inbox();
      await bus.consume({ topic, group: newGroup(), handle: inbox.take });
      const [before, tooLong, after] = await Promise.allSettled([
        bus.publish(topic, [keyed('mug', 0)]),
        bus.publish(topic, [{ key: 'mug', value: 'x'.repeat(2_000_000) }]),
        bus.publish(topic, [keyed('mug', 2)]),
      ]);
      expect([before.status, after.status]).to.deep.equal(['fulfilled', 'fulfilled']);
      expect(tooLong.status === 'rejected' && tooLong.reason).to.be.instanceOf(Error);
      expect(tooLong.status === 'rejected' && tooLong.reason).not.to.be.instanceOf(EngineUnavailable);
      await inbox.holds(2);
      expect(inbox.values).to.deep.equal(['0', '2']);
    });
  });

  describe('a large publish', () => {
    it('is taken apart into what brokers take at once, in order', async () => {
      const bus = open();
      const topic = await declared(bus, 1);
      const inbox = new Inbox();
      await bus.consume({ topic, group: newGroup(), handle: inbox.take });
      const padding = 'x'.repeat(1000);
      const messages = Array.from({ length: 3000 }, (_, index) => ({
        key: 'mug',
        value: `${index} ${padding}`,
      }));
      await bus.publish(topic, messages);
      await inbox.holds(3000);
      expect(inbox.values.map((value) => parseInt(value))).to.deep.equal([...messages.keys()]);
    });
  });

  describe('a message that keeps failing', () => {
    it('goes to the dead letters of its topic, if the address says when, and the next one comes', async () => {
      const bus = open('?deadLetterAfter=2');
      const topic = await declared(bus, 2);
      const [inbox, deadLetters] = [new Inbox(), new Inbox()];
      let tries = 0;
      await bus.consume({
        topic,
        group: 'workers',
        handle: async (message) => {
          if (message.value === '0' && ++tries) throw new Error('no, thanks');
          await inbox.take(message);
        },
      });
      await bus.publish(topic, [{ ...keyed('mug', 0), headers: { colour: 'blue' } }, keyed('mug', 1)]);
      await inbox.holds(1);
      expect(tries).to.equal(2);
      await bus.consume({ topic: deadLettersOf(topic), group: newGroup(), handle: deadLetters.take });
      await deadLetters.holds(1);
      expect(deadLetters.received[0]).to.include({ key: 'mug', value: '0' });
      expect(deadLetters.received[0]?.headers).to.include({
        colour: 'blue',
        'dead-letter-topic': topic,
        'dead-letter-group': 'workers',
        'dead-letter-failures': '2',
        'dead-letter-reason': 'no, thanks',
      });
    });
  });

  describe('a handler that takes longer than the session', () => {
    it('keeps its partition, and others get theirs meanwhile', async () => {
      const [one, other] = [open('?sessionMilliseconds=6000'), open('?sessionMilliseconds=6000')];
      const topic = await declared(one, 2);
      const group = newGroup();
      const inbox = new Inbox();
      const handle = async (message: Parameters<typeof inbox.take>[0]): Promise<void> => {
        if (message.value === '0') await sleep(8000);
        await inbox.take(message);
      };
      await one.consume({ topic, group, handle });
      await other.consume({ topic, group, handle });
      await one.publish(topic, oneForEach(20));
      await inbox.holds(20);
      expect(new Set(inbox.keys).size).to.equal(20);
      expect(inbox.received).to.have.length(20);
      expect(inbox.received.slice(0, 5).map(({ key }) => key)).not.to.include('key-0');
    });
  });

  describe('an idle bus', () => {
    it('hardly costs a thing, and Node has nothing to warn about', async () => {
      const warnings: Error[] = [];
      const note = (warning: Error): void => void warnings.push(warning);
      process.on('warning', note);
      try {
        const bus = open();
        const topic = await declared(bus, 4);
        const group = newGroup();
        const inbox = new Inbox();
        for (let index = 0; index < 3; index++) await bus.consume({ topic, group, handle: inbox.take });
        await bus.publish(topic, oneForEach(40));
        await inbox.holds(40);
        // The quietest of some seconds: the process does other things too, such as tidying up after other tests.
        const shares: number[] = [];
        for (let second = 0; second < 4; second++) {
          const [before, begun] = [process.cpuUsage(), performance.now()];
          await sleep(1000);
          const { user, system } = process.cpuUsage(before);
          shares.push((user + system) / 1000 / (performance.now() - begun));
        }
        expect(Math.min(...shares), 'share of a core').to.be.below(0.1);
        expect(warnings.map(String)).to.deep.equal([]);
      } finally {
        process.off('warning', note);
      }
    });
  });
});
