import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import type { Bus, ReceivedMessage } from '#ports/bus.ts';
import {
  declared,
  expectInOrder,
  Inbox,
  keyed,
  newGroup,
  oneForEach,
  publishConcurrently,
  type BusUnderTest,
} from './bus.contract.ts';

/** What the buses inside one process promise beyond the port: nothing comes twice unless its handling failed. */
export const embeddedBusContract = (name: string, open: () => Promise<BusUnderTest>): void => {
  describe(`bus inside the process: ${name}`, () => {
    let underTest: BusUnderTest;
    let bus: Bus;
    beforeEach(async () => {
      underTest = await open();
      bus = underTest.bus;
    });
    afterEach(() => underTest.dispose());

    it('repeats nothing while consumers come and go', async () => {
      const topic = await declared(bus, 4);
      const group = newGroup();
      const inbox = new Inbox();
      const publishing = publishConcurrently(bus, topic, 8, 50);
      for (let round = 0; round < 7; round++) {
        const passing = await bus.consume({ topic, group, handle: inbox.take });
        await inbox.holds((round + 1) * 100);
        await passing.stop();
      }
      await publishing;
      const last = await bus.consume({ topic, group, handle: inbox.take });
      await inbox.holds(800);
      await last.stop();
      expect(await bus.lag(topic, group)).to.equal(0);
      expectInOrder(inbox.received, 16, 50);
      expect(inbox.received).to.have.length(800);
    });

    it('gives running consumers the partitions that their topic gains', async () => {
      const topic = await declared(bus, 1);
      const inbox = new Inbox();
      await bus.consume({ topic, group: newGroup(), handle: inbox.take });
      await bus.declareTopic(topic, 4);
      await bus.publish(topic, oneForEach(40));
      await inbox.holds(40);
      expect(new Set(inbox.received.map(({ partition }) => partition)).size).to.equal(4);
    });

    it('lets a handler stop its own consumer', async () => {
      const topic = await declared(bus, 1);
      const group = newGroup();
      const inbox = new Inbox();
      const stopped = Promise.withResolvers<void>();
      const consumer = await bus.consume({
        topic,
        group,
        handle: (message) => {
          void consumer.stop().then(stopped.resolve, stopped.reject);
          return inbox.take(message);
        },
      });
      await bus.publish(topic, [keyed('mug', 0), keyed('mug', 1)]);
      await stopped.promise;
      expect(inbox.values).to.deep.equal(['0']);
      expect(await bus.lag(topic, group)).to.equal(1);
    });

    it('takes a handler that throws before it promises anything for one that failed', async () => {
      const topic = await declared(bus, 1);
      const inbox = new Inbox();
      let isFirst = true;
      const handle = (message: ReceivedMessage): Promise<void> => {
        if (!isFirst) return inbox.take(message);
        isFirst = false;
        throw new Error('no, thanks');
      };
      await bus.consume({ topic, group: newGroup(), handle });
      await bus.publish(topic, [keyed('mug', 0)]);
      await inbox.holds(1);
      expect(inbox.values).to.deep.equal(['0']);
    });

    it('lets others have their turn while it works off a backlog', async () => {
      const topic = await declared(bus, 1);
      const inbox = new Inbox();
      await bus.publish(topic, oneForEach(2000));
      await bus.consume({ topic, group: newGroup(), handle: inbox.take });
      let turns = 0;
      while (inbox.received.length < 2000) {
        await nextTurn();
        turns++;
      }
      expect(turns).to.be.greaterThan(10);
    });
  });
};
