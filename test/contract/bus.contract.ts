import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import type { Bus, BusMessage, Consumer, ReceivedMessage } from '#ports/bus.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';

export interface BusUnderTest {
  readonly bus: Bus;
  /** Closes whatever is open and removes what the test left behind. */
  dispose(): Promise<void>;
}

export interface DurableBusUnderTest extends BusUnderTest {
  /** Closes the bus and opens another one on the same messages. */
  reopen(): Promise<Bus>;
}

export const newGroup = (): string => `group-${newId()}`;

export const declared = async (bus: Bus, partitions: number): Promise<string> => {
  const topic = `topic-${newId()}`;
  await bus.declareTopic(topic, partitions);
  return topic;
};

export const keyed = (key: string, index: number = 0): BusMessage => ({ key, value: String(index) });

/** One message for each of many keys, so that every partition gets some. */
export const oneForEach = (keys: number, prefix: string = 'key'): BusMessage[] =>
  Array.from({ length: keys }, (_, index) => keyed(`${prefix}-${index}`, index));

export const rejectionOf = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('expected a rejection, but it succeeded');
};

/** What consumers have handled, those of one test together or each its own. */
export class Inbox {
  readonly received: ReceivedMessage[] = [];
  #waiting: (() => void)[] = [];

  readonly take = async (message: ReceivedMessage): Promise<void> => {
    this.received.push(message);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const look of waiting) look();
  };

  get values(): string[] {
    return this.received.map(({ value }) => value);
  }

  get keys(): string[] {
    return this.received.map(({ key }) => key);
  }

  async holds(count: number): Promise<void> {
    await this.until(() => this.received.length >= count);
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

/** Publishes `each` numbered messages under keys of their own, one publisher beside the other. */
export const publishConcurrently = async (
  bus: Bus,
  topic: string,
  publishers: number,
  each: number,
): Promise<void> => {
  await Promise.all(
    Array.from({ length: publishers }, async (_, publisher) => {
      for (let index = 0; index < each; index++)
        await bus.publish(topic, [keyed(`one-${publisher}`, index), keyed(`other-${publisher}`, index)]);
    }),
  );
};

/** Every key's values ascend from 0 without a gap; repeats count where they were first. */
export const expectInOrder = (received: readonly ReceivedMessage[], keys: number, each: number): void => {
  const byKey = Map.groupBy(received, ({ key }) => key);
  expect(byKey.size).to.equal(keys);
  for (const [key, messages] of byKey) {
    const firsts = [...new Set(messages.map(({ value }) => Number(value)))];
    expect(firsts, key).to.deep.equal(Array.from({ length: each }, (_, index) => index));
  }
};

/** What every bus must do. Topics and groups are new in each test; offsets may start anywhere and have holes. */
export const busContract = (name: string, open: () => Promise<BusUnderTest>): void => {
  describe(`bus: ${name}`, () => {
    let underTest: BusUnderTest;
    let bus: Bus;
    beforeEach(async () => {
      underTest = await open();
      bus = underTest.bus;
    });
    afterEach(() => underTest.dispose());

    declaring(() => bus);
    publishing(() => bus);
    sharing(() => bus);
    failing(() => bus);
    pausing(() => bus);
    stopping(() => bus);
    lagging(() => bus);
    closing(() => bus);
  });
};

const consume = (bus: Bus, topic: string, group: string, inbox: Inbox): Promise<Consumer> =>
  bus.consume({ topic, group, handle: inbox.take });

const declaring = (the: () => Bus): void => {
  describe('declaring a topic', () => {
    it('can be repeated and takes neither messages nor partitions away', async () => {
      const topic = await declared(the(), 4);
      await the().publish(topic, oneForEach(40));
      await the().declareTopic(topic, 4);
      await the().declareTopic(topic, 1);
      await the().publish(topic, oneForEach(40));
      const inbox = new Inbox();
      await consume(the(), topic, newGroup(), inbox);
      await inbox.holds(80);
      expect(new Set(inbox.received.map(({ partition }) => partition)).size).to.equal(4);
    });

    it('adds partitions, and loses no message of those that were there', async () => {
      const topic = await declared(the(), 1);
      await the().publish(topic, oneForEach(40));
      await the().declareTopic(topic, 4);
      await the().publish(topic, oneForEach(40));
      const inbox = new Inbox();
      await consume(the(), topic, newGroup(), inbox);
      await inbox.holds(80);
      expect(new Set(inbox.received.map(({ partition }) => partition)).size).to.equal(4);
    });

    it('comes before its use: unknown topics are refused', async () => {
      const topic = `never-declared-${newId()}`;
      const uses = [
        the().publish(topic, [keyed('mug')]),
        the().consume({ topic, group: newGroup(), handle: async () => {} }),
        the().lag(topic, newGroup()),
      ];
      for (const use of uses) {
        expect(await rejectionOf(use))
          .to.be.instanceOf(Error)
          .and.not.instanceOf(EngineUnavailable);
      }
    });

    it('refuses names and numbers of partitions that make no sense', async () => {
      for (const [topic, partitions] of [
        ['', 1],
        ['two words', 1],
        ['none', 0],
        ['half', 1.5],
      ] as const) {
        expect(await rejectionOf(the().declareTopic(topic, partitions))).to.be.instanceOf(RangeError);
      }
    });
  });
};

const publishing = (the: () => Bus): void => {
  describe('what was published', () => {
    it('arrives byte for byte, with its key and its headers', async () => {
      const topic = await declared(the(), 2);
      const values = [
        '{"b":1,"a":2,"10":3}',
        '{"huge":1e21,"zero":-0.0,"spaces" : [ 1,\t2 ],\n "escaped":"\\u0000\\/"}',
        'Zoë – 東京 – 👩‍👩‍👧 – \u2028 – é e\u0301 \u0000 and on',
        '',
        'x'.repeat(1_000_000),
        '東'.repeat(300_000),
      ];
      const messages: BusMessage[] = values.map((value, index) => ({
        key: `Zoë ${index} 👩‍👩‍👧`,
        value,
        headers: { 'Correlation-Id': `Zoë ${index}`, empty: '' },
      }));
      const inbox = new Inbox();
      await consume(the(), topic, newGroup(), inbox);
      for (const message of messages) await the().publish(topic, [message]);
      await the().publish(topic, [{ key: 'without headers', value: 'plain' }]);
      await inbox.holds(messages.length + 1);
      for (const message of messages) {
        const found = inbox.received.find(({ key }) => key === message.key);
        expect(found?.value === message.value, `value of ${message.key}`).to.be.true;
        expect(found?.headers).to.deep.equal(message.headers);
        expect(found?.topic).to.equal(topic);
      }
      expect(inbox.received.find(({ value }) => value === 'plain')?.headers ?? {}).to.deep.equal({});
    });

    it('keeps its order under one key, whatever other publishers do', async () => {
      const topic = await declared(the(), 4);
      const inbox = new Inbox();
      await consume(the(), topic, newGroup(), inbox);
      await publishConcurrently(the(), topic, 8, 40);
      await inbox.holds(640);
      expectInOrder(inbox.received, 16, 40);
      expect(inbox.received).to.have.length(640);
    });

    it('keeps the order of a batch', async () => {
      const topic = await declared(the(), 4);
      const inbox = new Inbox();
      await consume(the(), topic, newGroup(), inbox);
      await the().publish(
        topic,
        Array.from({ length: 1000 }, (_, index) => keyed(`key-${index % 10}`, Math.floor(index / 10))),
      );
      await inbox.holds(1000);
      expectInOrder(inbox.received, 10, 100);
    });

    it('is under one key in one partition, at offsets that only grow', async () => {
      const topic = await declared(the(), 4);
      const inbox = new Inbox();
      await consume(the(), topic, newGroup(), inbox);
      await publishConcurrently(the(), topic, 4, 10);
      await inbox.holds(80);
      for (const messages of Map.groupBy(inbox.received, ({ key }) => key).values())
        expect(new Set(messages.map(({ partition }) => partition)).size).to.equal(1);
      for (const messages of Map.groupBy(inbox.received, ({ partition }) => partition).values()) {
        const offsets = messages.map(({ offset }) => offset);
        expect(offsets).to.deep.equal([...new Set(offsets)].toSorted((one, other) => one - other));
      }
    });

    it('may be nothing at all', async () => {
      const topic = await declared(the(), 1);
      await the().publish(topic, []);
      expect(await the().lag(topic, newGroup())).to.equal(0);
    });

    it('reaches only those who consume its topic', async () => {
      const topics = [await declared(the(), 2), await declared(the(), 2)] as const;
      const group = newGroup();
      const inboxes = [new Inbox(), new Inbox()] as const;
      await consume(the(), topics[0], group, inboxes[0]);
      await consume(the(), topics[1], group, inboxes[1]);
      await the().publish(topics[0], oneForEach(10, 'mug'));
      await the().publish(topics[1], oneForEach(10, 'cup'));
      await Promise.all(inboxes.map((inbox) => inbox.holds(10)));
      expect(inboxes[0].keys.every((key) => key.startsWith('mug'))).to.be.true;
      expect(inboxes[1].keys.every((key) => key.startsWith('cup'))).to.be.true;
    });
  });
};

const sharing = (the: () => Bus): void => {
  describe('groups', () => {
    it('get every message each, a group that comes later too', async () => {
      const topic = await declared(the(), 4);
      const inboxes = [new Inbox(), new Inbox(), new Inbox()] as const;
      await consume(the(), topic, newGroup(), inboxes[0]);
      await consume(the(), topic, newGroup(), inboxes[1]);
      await the().publish(topic, oneForEach(50));
      await inboxes[0].holds(50);
      await consume(the(), topic, newGroup(), inboxes[2]);
      await Promise.all(inboxes.map((inbox) => inbox.holds(50)));
      for (const inbox of inboxes) {
        expect(inbox.keys.toSorted()).to.deep.equal(
          oneForEach(50)
            .map(({ key }) => key)
            .toSorted(),
        );
      }
    });

    it('share the messages among their consumers: each goes to one of them, once', async () => {
      const topic = await declared(the(), 8);
      const group = newGroup();
      const [all, one, other] = [new Inbox(), new Inbox(), new Inbox()];
      const consumers: Consumer[] = [];
      for (const own of [one, other]) {
        const handle = async (message: ReceivedMessage): Promise<void> => {
          await own.take(message);
          await all.take(message);
        };
        consumers.push(await the().consume({ topic, group, handle }));
      }
      await publishConcurrently(the(), topic, 8, 25);
      await all.holds(400);
      await Promise.all(consumers.map((consumer) => consumer.stop()));
      expect(await the().lag(topic, group)).to.equal(0);
      expectInOrder(all.received, 16, 25);
      expect(all.received).to.have.length(400);
      expect(one.received).not.to.be.empty;
      expect(other.received).not.to.be.empty;
    });

    it('rebalance when a consumer leaves or joins', async () => {
      const topic = await declared(the(), 8);
      const group = newGroup();
      const [first, second, third] = [new Inbox(), new Inbox(), new Inbox()];
      const total = (): number => first.received.length + second.received.length + third.received.length;
      const leaving = await consume(the(), topic, group, first);
      await consume(the(), topic, group, second);
      await the().publish(topic, oneForEach(80));
      await Promise.race([first.until(() => total() === 80), second.until(() => total() === 80)]);
      await leaving.stop();
      const [before, beforeSecond] = [first.received.length, second.received.length];
      await the().publish(topic, oneForEach(80));
      await second.holds(beforeSecond + 80);
      expect(first.received).to.have.length(before);

      await consume(the(), topic, group, third);
      await the().publish(topic, oneForEach(80));
      await Promise.race([second.until(() => total() === 240), third.until(() => total() === 240)]);
      expect(third.received).not.to.be.empty;
      expect(total()).to.equal(240);
    });

    it('know which keys come to them: of each group, one has each', async () => {
      const topic = await declared(the(), 8);
      const group = newGroup();
      const keys = oneForEach(80).map(({ key }) => key);
      const [one, other] = [new Inbox(), new Inbox()];
      const shared: string[] = [];
      const first = await the().consume({
        ...{ topic, group, handle: one.take },
        onShared: () => void shared.push('first'),
      });
      expect(keys.every((key) => first.holds(key))).to.equal(true);
      shared.splice(0);
      const second = await consume(the(), topic, group, other);
      const isDivided = (): boolean =>
        keys.some((key) => second.holds(key)) && keys.every((key) => first.holds(key) !== second.holds(key));
      while (!isDivided() || shared.length === 0) await sleep(10);
      await the().publish(topic, oneForEach(80));
      await Promise.race(
        [one, other].map((inbox) => inbox.until(() => one.received.length + other.received.length === 80)),
      );
      expect(one.keys.toSorted()).to.deep.equal(keys.filter((key) => first.holds(key)).toSorted());
      expect(other.keys.toSorted()).to.deep.equal(keys.filter((key) => second.holds(key)).toSorted());
      expect(one.keys).not.to.be.empty;
      await second.stop();
      while (!keys.every((key) => first.holds(key))) await sleep(10);
    });

    it('lose nothing and keep the order while consumers come and go', async () => {
      const topic = await declared(the(), 4);
      const group = newGroup();
      const inbox = new Inbox();
      await consume(the(), topic, group, inbox);
      const publishing = publishConcurrently(the(), topic, 8, 50);
      for (let round = 0; round < 4; round++) {
        const passing = await consume(the(), topic, group, inbox);
        await inbox.holds((round + 1) * 100);
        await passing.stop();
      }
      await publishing;
      await inbox.until(
        () => new Set(inbox.received.map(({ key, value }) => `${key} ${value}`)).size === 800,
      );
      expectInOrder(inbox.received, 16, 50);
    });

    it('handle one message of a partition at a time, and partitions side by side', async () => {
      const topic = await declared(the(), 4);
      const busy = new Set<number>();
      let most = 0;
      const finished = Promise.withResolvers<void>();
      const doubled: ReceivedMessage[] = [];
      const handle = async (message: ReceivedMessage): Promise<void> => {
        if (busy.has(message.partition)) doubled.push(message);
        busy.add(message.partition);
        most = Math.max(most, busy.size);
        if (most === 4) finished.resolve();
        await finished.promise;
        busy.delete(message.partition);
      };
      await the().consume({ topic, group: newGroup(), handle });
      await the().publish(topic, oneForEach(40));
      await finished.promise;
      expect(most).to.equal(4);
      expect(doubled).to.deep.equal([]);
    });
  });
};

const failing = (the: () => Bus): void => {
  describe('a message whose handling fails', () => {
    it('comes again until it succeeds; what follows under its key waits', async () => {
      const topic = await declared(the(), 4);
      const inbox = new Inbox();
      const tried: string[] = [];
      let failures = 3;
      const handle = async (message: ReceivedMessage): Promise<void> => {
        tried.push(message.value);
        if (message.value === '1' && failures-- > 0) throw new Error('no, thanks');
        await inbox.take(message);
      };
      await the().consume({ topic, group: newGroup(), handle });
      await the().publish(topic, [keyed('mug', 0), keyed('mug', 1), keyed('mug', 2)]);
      await inbox.holds(3);
      expect(inbox.values).to.deep.equal(['0', '1', '2']);
      expect([...new Set(tried)]).to.deep.equal(['0', '1', '2']);
      expect(tried.filter((value) => value === '1')).to.have.length(4);
    });

    it('holds up neither other partitions nor other groups', async () => {
      const topic = await declared(the(), 4);
      const [healthy, sick] = [new Inbox(), new Inbox()];
      let isSick = true;
      const handle = async (message: ReceivedMessage): Promise<void> => {
        if (isSick && message.partition === 0) throw new Error('no, thanks');
        await sick.take(message);
      };
      await the().consume({ topic, group: newGroup(), handle });
      await consume(the(), topic, newGroup(), healthy);
      await the().publish(topic, oneForEach(80));
      await healthy.holds(80);
      const others = healthy.received.filter(({ partition }) => partition !== 0).length;
      expect(others).to.be.within(1, 79);
      await sick.holds(others);
      isSick = false;
      await sick.holds(80);
      expect(new Set(sick.keys).size).to.equal(80);
    });

    it('goes to another consumer of the group when its own leaves', async () => {
      const topic = await declared(the(), 1);
      const group = newGroup();
      const failed = Promise.withResolvers<void>();
      const handle = async (): Promise<void> => {
        failed.resolve();
        throw new Error('no, thanks');
      };
      const failing = await the().consume({ topic, group, handle });
      await the().publish(topic, [keyed('mug', 0), keyed('mug', 1)]);
      await failed.promise;
      await failing.stop();
      expect(await the().lag(topic, group)).to.equal(2);
      const inbox = new Inbox();
      await consume(the(), topic, group, inbox);
      await inbox.holds(2);
      expect(inbox.values).to.deep.equal(['0', '1']);
    });
  });
};

const pausing = (the: () => Bus): void => {
  describe('a paused consumer', () => {
    it('gets nothing until it is resumed, and then everything once', async () => {
      const topic = await declared(the(), 2);
      const [paused, witness] = [new Inbox(), new Inbox()];
      const consumer = await consume(the(), topic, newGroup(), paused);
      await consume(the(), topic, newGroup(), witness);
      await the().publish(topic, oneForEach(10));
      await paused.holds(10);
      consumer.pause();
      await the().publish(topic, oneForEach(20));
      await witness.holds(30);
      expect(paused.received).to.have.length(10);
      consumer.resume();
      await paused.holds(30);
      expect(paused.keys.toSorted()).to.deep.equal(witness.keys.toSorted());
    });

    it('finishes what it is handling', async () => {
      const topic = await declared(the(), 1);
      const group = newGroup();
      const inbox = new Inbox();
      const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const handle = async (message: ReceivedMessage): Promise<void> => {
        begun.resolve();
        await goOn.promise;
        await inbox.take(message);
      };
      const consumer = await the().consume({ topic, group, handle });
      await the().publish(topic, [keyed('mug', 0), keyed('mug', 1)]);
      await begun.promise;
      consumer.pause();
      goOn.resolve();
      await inbox.holds(1);
      await consumer.stop();
      expect(inbox.values).to.deep.equal(['0']);
      expect(await the().lag(topic, group)).to.equal(1);
    });
  });
};

const stopping = (the: () => Bus): void => {
  describe('a consumer that stops', () => {
    it('waits for what it is handling, commits it and gets nothing more', async () => {
      const topic = await declared(the(), 1);
      const group = newGroup();
      const [handled, later] = [new Inbox(), new Inbox()];
      const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const handle = async (message: ReceivedMessage): Promise<void> => {
        begun.resolve();
        await goOn.promise;
        await handled.take(message);
      };
      const consumer = await the().consume({ topic, group, handle });
      await the().publish(topic, [keyed('mug', 0), keyed('mug', 1), keyed('mug', 2)]);
      await begun.promise;
      let isStopped = false;
      const stopped = consumer.stop().then(() => (isStopped = true));
      await the().publish(topic, [keyed('mug', 3)]);
      expect(isStopped).to.be.false;
      goOn.resolve();
      await stopped;
      expect(handled.values).to.deep.equal(['0']);

      await consume(the(), topic, group, later);
      await later.holds(3);
      expect(later.values).to.deep.equal(['1', '2', '3']);
      expect(handled.values).to.deep.equal(['0']);
    });

    it('may be stopped twice', async () => {
      const topic = await declared(the(), 1);
      const [group, inbox] = [newGroup(), new Inbox()];
      const consumer = await consume(the(), topic, group, inbox);
      await Promise.all([consumer.stop(), consumer.stop()]);
      await consumer.stop();
      await the().publish(topic, [keyed('mug')]);
      expect(await the().lag(topic, group)).to.equal(1);
      expect(inbox.received).to.be.empty;
    });
  });
};

const lagging = (the: () => Bus): void => {
  describe('the lag', () => {
    it('is what the group has not committed, each group by itself', async () => {
      const topic = await declared(the(), 4);
      const [group, other] = [newGroup(), newGroup()];
      await the().publish(topic, oneForEach(30));
      expect(await the().lag(topic, group)).to.equal(30);
      const inbox = new Inbox();
      const consumer = await consume(the(), topic, group, inbox);
      await inbox.holds(30);
      await consumer.stop();
      expect(await the().lag(topic, group)).to.equal(0);
      expect(await the().lag(topic, other)).to.equal(30);
      await the().publish(topic, oneForEach(5));
      expect(await the().lag(topic, group)).to.equal(5);
      expect(await the().lag(topic, other)).to.equal(35);
    });
  });
};

const closing = (the: () => Bus): void => {
  describe('closing', () => {
    it('waits for what is being handled, and can be repeated', async () => {
      const topic = await declared(the(), 1);
      const inbox = new Inbox();
      const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const handle = async (message: ReceivedMessage): Promise<void> => {
        begun.resolve();
        await goOn.promise;
        await inbox.take(message);
      };
      await the().consume({ topic, group: newGroup(), handle });
      await the().publish(topic, [keyed('mug', 0), keyed('mug', 1)]);
      await begun.promise;
      const closed = the().close();
      goOn.resolve();
      await closed;
      await the().close();
      expect(inbox.values).to.deep.equal(['0']);
    });

    it('makes everything else unavailable', async () => {
      const topic = await declared(the(), 1);
      await the().ping();
      await the().close();
      const asked = [
        the().declareTopic(topic, 1),
        the().publish(topic, [keyed('mug')]),
        the().consume({ topic, group: newGroup(), handle: async () => {} }),
        the().lag(topic, newGroup()),
        the().ping(),
      ];
      for (const question of asked) {
        expect(await rejectionOf(question)).to.be.instanceOf(EngineUnavailable);
      }
    });
  });
};

/** What a bus must do besides when it outlives its process. */
export const durableBusContract = (name: string, open: () => Promise<DurableBusUnderTest>): void => {
  describe(`bus, opened again: ${name}`, () => {
    let underTest: DurableBusUnderTest;
    beforeEach(async () => {
      underTest = await open();
    });
    afterEach(() => underTest.dispose());

    it('still has what was published, its topics and how far each group was', async () => {
      const { bus } = underTest;
      const topic = await declared(bus, 4);
      const [group, other] = [newGroup(), newGroup()];
      const [before, after, afterOther] = [new Inbox(), new Inbox(), new Inbox()];
      await bus.publish(topic, oneForEach(20, 'before'));
      const consumer = await consume(bus, topic, group, before);
      await before.holds(20);
      await consumer.stop();
      await bus.publish(topic, oneForEach(10, 'between'));

      const again = await underTest.reopen();
      expect(await again.lag(topic, group)).to.equal(10);
      await again.publish(topic, oneForEach(10, 'after'));
      await consume(again, topic, group, after);
      await consume(again, topic, other, afterOther);
      await after.holds(20);
      await afterOther.holds(40);
      expect(after.keys.filter((key) => key.startsWith('before'))).to.deep.equal([]);
      const offsets = Map.groupBy(afterOther.received, ({ partition }) => partition).values();
      for (const messages of offsets) {
        const found = messages.map(({ offset }) => offset);
        expect(found).to.deep.equal([...new Set(found)].toSorted((one, another) => one - another));
      }
    });

    it('delivers again what was not handled', async () => {
      const { bus } = underTest;
      const topic = await declared(bus, 1);
      const group = newGroup();
      const failed = Promise.withResolvers<void>();
      const handle = async ({ value }: ReceivedMessage): Promise<void> => {
        if (value === '0') return;
        failed.resolve();
        throw new Error('no, thanks');
      };
      await bus.consume({ topic, group, handle });
      await bus.publish(topic, [keyed('mug', 0), keyed('mug', 1), keyed('mug', 2)]);
      await failed.promise;
      const again = await underTest.reopen();
      const inbox = new Inbox();
      await consume(again, topic, group, inbox);
      await inbox.holds(2);
      expect(inbox.values).to.deep.equal(['1', '2']);
    });
  });
};
