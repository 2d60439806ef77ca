import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { openSqliteBus, type SqliteBus, type SqliteBusOptions } from '#adapters/sqlite/sqlite-bus.ts';
import { HeldByAnotherProcess } from '#adapters/sqlite/sqlite-lock.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import {
  busContract,
  declared,
  durableBusContract,
  Inbox,
  keyed,
  newGroup,
  oneForEach,
  publishConcurrently,
  rejectionOf,
  type DurableBusUnderTest,
} from './bus.contract.ts';
import { embeddedBusContract } from './embedded-bus.contract.ts';

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'bus-'));
const redeliveryPause = { firstMilliseconds: 1, longestMilliseconds: 5 };

const open = async (mode: 'thread' | 'inline'): Promise<DurableBusUnderTest> => {
  const folder = newFolder();
  const options = { file: join(folder, 'bus.db'), mode, redeliveryPause };
  const bus = await openSqliteBus(options);
  let latest = bus;
  return {
    bus,
    reopen: async () => {
      await latest.close();
      return (latest = await openSqliteBus(options));
    },
    dispose: async () => {
      await latest.close();
      rmSync(folder, { recursive: true });
    },
  };
};

for (const [name, mode] of [
  ['SQLite with a writer thread', 'thread'],
  ['SQLite on one thread', 'inline'],
] as const) {
  busContract(name, () => open(mode));
  durableBusContract(name, () => open(mode));
  embeddedBusContract(name, () => open(mode));
}

describe('bus: the SQLite file', () => {
  let folder: string;
  let file: string;
  let opened: SqliteBus[];
  const openBus = async (options: Partial<SqliteBusOptions> = {}): Promise<SqliteBus> => {
    const bus = await openSqliteBus({ file, redeliveryPause, ...options });
    opened.push(bus);
    return bus;
  };
  const handled = async (bus: SqliteBus, topic: string, group: string, count: number): Promise<Inbox> => {
    const inbox = new Inbox();
    const consumer = await bus.consume({ topic, group, handle: inbox.take });
    await inbox.holds(count);
    await consumer.stop();
    return inbox;
  };
  beforeEach(() => {
    folder = newFolder();
    file = join(folder, 'deep', 'bus.db');
    opened = [];
  });
  afterEach(async () => {
    for (const bus of opened) await bus.close();
    rmSync(folder, { recursive: true });
  });

  describe('a process that is killed', () => {
    it('loses nothing that was acknowledged, and what it was handling comes again', async () => {
      const script = fileURLToPath(new URL('../support/use-bus-until-killed.ts', import.meta.url));
      const child = spawn(process.execPath, [script, file], { stdio: ['ignore', 'pipe', 'inherit'] });
      const ended = once(child, 'exit');
      const published: string[] = [];
      const seen = new Set<string>();
      for await (const line of createInterface(child.stdout)) {
        const [what, ...message] = line.split(' ');
        if (what === 'handled') seen.add(message.join(' '));
        else published.push(message.join(' '));
        if (published.length === 1000) child.kill('SIGKILL');
      }
      await ended;
      expect(published.length).to.be.at.least(1000);
      expect([...seen].some((message) => message.startsWith('heavy'))).to.be.false;

      const bus = await openBus();
      const lag = await bus.lag('baskets', 'workers');
      const inbox = await handled(bus, 'baskets', 'workers', lag);
      for (const { key, value } of inbox.received) seen.add(`${key} ${value}`);
      expect(published.filter((message) => !seen.has(message))).to.deep.equal([]);
      for (const messages of Map.groupBy(inbox.received, ({ key }) => key).values()) {
        const first = Number(messages[0]?.value);
        expect(messages.map(({ value }) => Number(value))).to.deep.equal(
          messages.map((_, index) => first + index),
        );
      }
      expect(inbox.received.find(({ key }) => key === 'heavy')?.value).to.equal('0');
    });
  });

  describe('its only process', () => {
    it('keeps a second one out until it closes', async () => {
      const bus = await openBus();
      expect(await rejectionOf(openBus())).to.be.instanceOf(HeldByAnotherProcess);
      await bus.close();
      await (await openBus()).ping();
    });

    it('leaves one file behind when it closes', async () => {
      const bus = await openBus();
      await publishConcurrently(bus, await declared(bus, 2), 4, 4);
      await bus.close();
      expect(existsSync(`${file}-wal`)).to.be.false;
      expect(existsSync(`${file}.holder`)).to.be.false;
    });

    it('refuses a file that is something else', async () => {
      await (await openBus()).close();
      const other = new DatabaseSync(file);
      other.exec('PRAGMA user_version = 99');
      other.close();
      expect(String(await rejectionOf(openBus()))).to.include('not a bus of format 1');
    });

    it('notices that its file was deleted', async () => {
      const bus = await openBus();
      await bus.ping();
      rmSync(file);
      expect(await rejectionOf(bus.ping())).to.be.instanceOf(EngineUnavailable);
    });
  });

  describe('many publishers and consumers', () => {
    it('share the price of reaching the disk', async () => {
      const bus = await openBus();
      const topic = await declared(bus, 8);
      const inbox = new Inbox();
      await bus.consume({ topic, group: newGroup(), handle: inbox.take });
      await publishConcurrently(bus, topic, 100, 20);
      await inbox.holds(4000);
      expect(bus.commits).to.be.lessThan(1000);
    });
  });

  describe('while the file is locked by a stranger', () => {
    it('a publish fails as unavailable, a commit is tried until it holds', async () => {
      const bus = await openBus({ busyTimeoutMilliseconds: 1 });
      const topic = await declared(bus, 1);
      const group = newGroup();
      const inbox = new Inbox();
      const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const consumer = await bus.consume({
        topic,
        group,
        handle: async (message) => {
          begun.resolve();
          await goOn.promise;
          await inbox.take(message);
        },
      });
      await bus.publish(topic, [keyed('mug', 0), keyed('mug', 1)]);
      await begun.promise;
      const stranger = new DatabaseSync(file);
      stranger.exec('BEGIN IMMEDIATE');
      goOn.resolve();
      await inbox.holds(2);
      expect(await rejectionOf(bus.publish(topic, [keyed('mug', 2)]))).to.be.instanceOf(EngineUnavailable);
      expect(await bus.lag(topic, group)).to.equal(2);
      stranger.exec('ROLLBACK');
      stranger.close();
      await bus.publish(topic, [keyed('mug', 3)]);
      await inbox.holds(3);
      await consumer.stop();
      expect(inbox.values).to.deep.equal(['0', '1', '3']);
      expect(await bus.lag(topic, group)).to.equal(0);
    });

    it('a consumer that stops says that its last commit failed', async () => {
      const bus = await openBus({ busyTimeoutMilliseconds: 1 });
      const topic = await declared(bus, 1);
      const inbox = new Inbox();
      const stranger = new DatabaseSync(file);
      const consumer = await bus.consume({
        topic,
        group: newGroup(),
        handle: async (message) => {
          stranger.exec('BEGIN IMMEDIATE');
          await inbox.take(message);
        },
      });
      await bus.publish(topic, [keyed('mug', 0)]);
      await inbox.holds(1);
      expect(await rejectionOf(consumer.stop())).to.be.instanceOf(EngineUnavailable);
      stranger.exec('ROLLBACK');
      stranger.close();
    });
  });

  describe('while the file cannot be used', () => {
    it('a consumer tries again and goes on where it was, and offsets get no holes', async () => {
      const bus = await openBus();
      const topic = await declared(bus, 1);
      const group = newGroup();
      const inbox = new Inbox();
      const consumer = await bus.consume({ topic, group, handle: inbox.take });
      consumer.pause();
      await bus.publish(topic, oneForEach(10));
      const stranger = new DatabaseSync(file);
      stranger.exec('ALTER TABLE messages RENAME TO elsewhere');
      consumer.resume();
      for (let turn = 0; turn < 10; turn++) {
        expect(await rejectionOf(bus.lag(topic, group))).to.be.instanceOf(EngineUnavailable);
        await nextTurn();
      }
      expect(inbox.received).to.be.empty;
      expect(await rejectionOf(bus.publish(topic, [keyed('lost')]))).to.be.instanceOf(EngineUnavailable);
      stranger.exec('ALTER TABLE elsewhere RENAME TO messages');
      stranger.close();
      await bus.publish(topic, [keyed('mug')]);
      await inbox.holds(11);
      const first = inbox.received[0]?.offset ?? 0;
      expect(inbox.received.map(({ offset }) => offset - first)).to.deep.equal([...inbox.received.keys()]);
    });

    it('keeps nobody from folding the journal into the file while a page is half read', async () => {
      const bus = await openBus();
      const topic = await declared(bus, 1);
      const inbox = new Inbox();
      const values = Array.from({ length: 3 }, () => ({ key: 'mug', value: 'x'.repeat(1_000_000) }));
      const folds: unknown[] = [];
      await bus.publish(topic, values);
      await bus.consume({
        topic,
        group: newGroup(),
        handle: async (message) => {
          const stranger = new DatabaseSync(file, { timeout: 1000 });
          const folded = stranger.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
          stranger.close();
          folds.push(folded?.['busy']);
          await inbox.take(message);
        },
      });
      await inbox.holds(3);
      expect(folds).to.deep.equal([0, 0, 0]);
    });
  });

  describe('a writer thread that dies', () => {
    const writerEntry = new URL('../support/dying-bus-writer.ts', import.meta.url);
    for (const [when, value, isThere] of [
      ['before its commit', 'DieBeforeCommit', false],
      ['between its commit and the answer', 'DieAfterCommit', true],
    ] as const) {
      it(`${when} leaves an unknown outcome; the bus works on and offsets stay in order`, async () => {
        const bus = await openBus({ writerEntry });
        const topic = await declared(bus, 1);
        const inbox = new Inbox();
        await bus.consume({ topic, group: newGroup(), handle: inbox.take });
        await bus.publish(topic, [keyed('mug', 0)]);
        const fatal = { key: 'mug', value };
        expect(await rejectionOf(bus.publish(topic, [fatal]))).to.be.instanceOf(EngineUnavailable);
        await bus.publish(topic, [keyed('mug', 1)]);
        await inbox.until(() => inbox.values.includes('1'));
        expect(inbox.values).to.deep.equal(isThere ? ['0', value, '1'] : ['0', '1']);
      });
    }
  });

  describe('old messages', () => {
    const hour = 3_600_000;
    let now: number;
    const openWithRetention = (): Promise<SqliteBus> =>
      openBus({
        mode: 'inline',
        now: () => now,
        retention: { committedMilliseconds: hour, longestMilliseconds: 24 * hour },
      });
    beforeEach(() => {
      now = Date.UTC(2026, 0, 1);
    });

    it('go when every known group has committed them and their time is up, but for the newest', async () => {
      const bus = await openWithRetention();
      const topic = await declared(bus, 1);
      const [fast, slow] = [newGroup(), newGroup()];
      await bus.publish(topic, oneForEach(10));
      await handled(bus, topic, fast, 10);
      await (await bus.consume({ topic, group: slow, handle: async () => {} })).stop();
      now += hour + 1;
      expect(await bus.sweep(), 'the slow group has committed nothing').to.equal(0);
      await handled(bus, topic, slow, 10);
      expect(await bus.sweep()).to.equal(9);
    });

    it('stay for new groups until their time is up', async () => {
      const bus = await openWithRetention();
      const topic = await declared(bus, 1);
      await bus.publish(topic, oneForEach(10));
      await handled(bus, topic, newGroup(), 10);
      now += hour;
      expect(await bus.sweep()).to.equal(0);
      expect((await handled(bus, topic, newGroup(), 10)).received).to.have.length(10);
      now += 1;
      expect(await bus.sweep()).to.equal(9);
      expect(await bus.lag(topic, newGroup())).to.equal(1);
    });

    it('go in the end though nobody has committed them', async () => {
      const bus = await openWithRetention();
      const [abandoned, unknown] = [await declared(bus, 1), await declared(bus, 1)];
      await (await bus.consume({ topic: abandoned, group: 'gone', handle: async () => {} })).stop();
      for (const topic of [abandoned, unknown]) await bus.publish(topic, oneForEach(10));
      now += 24 * hour;
      expect(await bus.sweep()).to.equal(0);
      now += 1;
      expect(await bus.sweep()).to.equal(18);
      expect(await bus.lag(abandoned, 'gone')).to.equal(1);
    });

    it('go however many there are, and offsets go on where they were', async () => {
      const bus = await openWithRetention();
      const topic = await declared(bus, 1);
      const group = newGroup();
      await bus.publish(topic, oneForEach(2500));
      const before = await handled(bus, topic, group, 2500);
      now += 2 * hour;
      expect(await bus.sweep()).to.equal(2499);
      await bus.close();
      const again = await openWithRetention();
      await again.publish(topic, [keyed('mug')]);
      const [next] = (await handled(again, topic, group, 1)).received;
      expect(next?.offset).to.equal((before.received.at(-1)?.offset ?? 0) + 1);
    });

    it('are seen to by the bus itself', async () => {
      const bus = await openBus({
        sweepEveryMilliseconds: 1,
        retention: { committedMilliseconds: -1, longestMilliseconds: 24 * hour },
      });
      const topic = await declared(bus, 1);
      await bus.publish(topic, oneForEach(10));
      await handled(bus, topic, newGroup(), 10);
      // The sweep has a timer: it comes only when the loop lets the event loop turn.
      let lag = 10;
      while (lag > 1) {
        await nextTurn();
        lag = await bus.lag(topic, newGroup());
      }
      expect(lag).to.equal(1);
    });
  });
});
