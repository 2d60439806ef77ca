import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { HeldByAnotherProcess } from '#adapters/sqlite/sqlite-lock.ts';
import {
  openSqliteEventStore,
  type SqliteEventStore,
  type SqliteEventStoreOptions,
} from '#adapters/sqlite/sqlite-event-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { NO_STREAM, START, type EventStore, type StoredEvent } from '#ports/event-store.ts';
import {
  anEvent,
  durableLogContract,
  eventStoreContract,
  follow,
  newStream,
  rejectionOf,
  someEvents,
  writeConcurrently,
  type DurableLogUnderTest,
} from './event-store.contract.ts';

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'event-store-'));

const open = async (mode: 'thread' | 'inline'): Promise<DurableLogUnderTest> => {
  const folder = newFolder();
  const file = join(folder, 'events.db');
  const store = await openSqliteEventStore({ file, mode });
  let latest = store;
  return {
    store,
    reopen: async () => {
      await latest.close();
      return (latest = await openSqliteEventStore({ file, mode }));
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
  eventStoreContract(name, () => open(mode));
  durableLogContract(name, () => open(mode));
}

describe('event store: the SQLite file', () => {
  let folder: string;
  let file: string;
  let opened: EventStore[];
  const openStore = async (options: Partial<SqliteEventStoreOptions> = {}): Promise<SqliteEventStore> => {
    const store = await openSqliteEventStore({ file, ...options });
    opened.push(store);
    return store;
  };
  beforeEach(() => {
    folder = newFolder();
    file = join(folder, 'events.db');
    opened = [];
  });
  afterEach(async () => {
    for (const store of opened) await store.close();
    rmSync(folder, { recursive: true });
  });

  describe('what was appended', () => {
    it('can be neither changed nor removed', async () => {
      const store = await openStore();
      await store.append(newStream(), NO_STREAM, someEvents(2));
      const stranger = new DatabaseSync(file);
      expect(() => stranger.exec(`UPDATE events SET data = '{}'`)).to.throw('an event is never changed');
      expect(() => stranger.exec('DELETE FROM events')).to.throw('an event is never removed');
      stranger.close();
      expect(await store.readAll(START)).to.have.length(2);
    });

    it('is read to its end, by types too, where a stranger has cut a piece out of the file', async () => {
      const store = await openStore();
      await store.append(newStream(), NO_STREAM, someEvents(60));
      const stranger = new DatabaseSync(file);
      stranger.exec(
        'DROP TRIGGER events_are_never_removed; DELETE FROM events WHERE position BETWEEN 2 AND 50',
      );
      stranger.close();
      const rare = new Set(['NeverHappened']);
      expect((await store.readAll(1, 1, rare)).map(({ position }) => position)).to.deep.equal([51]);
      expect(await store.readAll(60, 1, rare)).to.deep.equal([]);
    });

    it('is there after a kill while it is folded into the file, whatever was acknowledged, and the log opens at once', async () => {
      const script = fileURLToPath(new URL('../support/append-until-killed.ts', import.meta.url));
      const child = spawn(process.execPath, [script, file], { stdio: ['ignore', 'pipe', 'inherit'] });
      const ended = once(child, 'exit');
      const acknowledged: string[] = [];
      for await (const id of createInterface(child.stdout)) {
        acknowledged.push(id);
        if (acknowledged.length === 500) child.kill('SIGKILL');
      }
      await ended;
      const store = await openStore();
      const found = await follow(store, START, acknowledged.length);
      const ids = new Set(found.map(({ id }) => id));
      expect(acknowledged.filter((id) => !ids.has(id))).to.deep.equal([]);
      for (const events of Map.groupBy(found, ({ stream }) => stream).values()) {
        expect(events.map(({ revision }) => revision)).to.deep.equal(events.map((_, index) => index));
      }
    });

    it('lies beside the file for a short while only, however much is appended', async () => {
      const store = await openStore();
      await writeConcurrently(store, 16, 100);
      expect(statSync(`${file}-wal`).size).to.be.below(4_000_000);
      expect(statSync(file).size).to.be.above(100_000);
      expect(await store.head()).to.equal(1600);
    });

    it('is in pages of 16 kB in a new file; a file with pages of 4 kB goes on with them', async () => {
      const pageBytes = (): unknown => {
        using database = new DatabaseSync(file, { readOnly: true });
        return database.prepare('PRAGMA page_size').get()?.['page_size'];
      };
      const fill = async (): Promise<void> => {
        const store = await openStore();
        await writeConcurrently(store, 4, 4);
        await store.close();
      };
      await fill();
      expect(pageBytes()).to.equal(16_384);
      rmSync(file);
      const older = new DatabaseSync(file);
      older.exec('PRAGMA page_size = 4096; PRAGMA journal_mode = WAL; CREATE TABLE t (c); DROP TABLE t');
      older.close();
      await fill();
      expect(pageBytes()).to.equal(4096);
    });

    it('is in one file once the log is closed', async () => {
      const store = await openStore();
      await writeConcurrently(store, 4, 4);
      await store.close();
      expect(existsSync(`${file}-wal`)).to.be.false;
      expect(existsSync(`${file}.holder`)).to.be.false;
    });
  });

  describe('its only writer', () => {
    it('keeps a second one out, who is told who holds the log', async () => {
      const store = await openStore();
      expect(store.isOnlyWriter).to.be.true;
      const refusal = await rejectionOf(openStore());
      expect(refusal).to.be.instanceOf(HeldByAnotherProcess);
      expect(String(refusal)).to.include(file).and.include(`process ${process.pid}`);
      await store.close();
      await (await openStore()).append(newStream(), NO_STREAM, someEvents(1));
    });

    it('lets readers in beside it, who follow but cannot append', async () => {
      const store = await openStore();
      await writeConcurrently(store, 4, 5);
      const reader = await openStore({ readOnly: true });
      expect(reader.isOnlyWriter).to.be.false;
      expect(await reader.head()).to.equal(20);
      const following = follow(reader, 10, 30);
      await writeConcurrently(store, 4, 5);
      expect(await following).to.deep.equal(await store.readAll(10));
      expect(String(await rejectionOf(reader.append(newStream(), NO_STREAM, [])))).to.include('reading only');
    });

    it('need not be there for readers', async () => {
      const store = await openStore();
      await writeConcurrently(store, 2, 5);
      await store.close();
      expect(await (await openStore({ readOnly: true })).readAll(START)).to.have.length(10);
    });

    it('refuses a file that is something else', async () => {
      const other = new DatabaseSync(file);
      other.exec('PRAGMA user_version = 99');
      other.close();
      expect(String(await rejectionOf(openStore()))).to.include('not an event log of format 1');
    });
  });

  for (const mode of ['thread', 'inline'] as const) {
    describe(`group commit (${mode})`, () => {
      it('shares commits among appends that wait together', async () => {
        const store = await openStore({ mode });
        await writeConcurrently(store, 200, 5);
        expect(await store.head()).to.equal(1000);
        expect(store.commits).to.be.at.least(5).and.at.most(100);
      });

      it('never lets a commit grow beyond bounds', async () => {
        const store = await openStore({ mode });
        await writeConcurrently(store, 5000, 1);
        expect(await store.head()).to.equal(5000);
        expect(store.commits).to.be.at.least(3);
      });

      it('fails what it cannot commit as unavailable, and commits it when it is tried again', async () => {
        const store = await openStore({ mode, busyTimeoutMilliseconds: 10 });
        const stream = newStream();
        await store.append(stream, NO_STREAM, someEvents(1));
        const stranger = new DatabaseSync(file);
        stranger.exec('BEGIN IMMEDIATE');
        const events = someEvents(2);
        const refusals = await Promise.all([
          rejectionOf(store.append(stream, 0, events)),
          rejectionOf(store.append(newStream(), NO_STREAM, someEvents(1))),
        ]);
        stranger.exec('ROLLBACK');
        stranger.close();
        for (const refusal of refusals) expect(refusal).to.be.instanceOf(EngineUnavailable);
        expect(await store.append(stream, 0, events)).to.deep.equal({ revision: 2, position: 3 });
      });
    });
  }

  describe('a writer thread that dies', () => {
    const writerEntry = new URL('../support/dying-event-writer.ts', import.meta.url);

    for (const [when, type, isThere] of [
      ['before its commit', 'DieBeforeCommit', false],
      ['between its commit and the answer', 'DieAfterCommit', true],
    ] as const) {
      it(`${when} leaves an unknown outcome, which a repeat settles; followers miss nothing`, async () => {
        const store = await openStore({ writerEntry });
        const stream = newStream();
        await store.append(stream, NO_STREAM, someEvents(1));
        const following = follow(store, START, 4);
        const fatal = [{ ...anEvent(), type }, anEvent()];
        expect(await rejectionOf(store.append(stream, 0, fatal))).to.be.instanceOf(EngineUnavailable);
        expect((await store.readStream(stream)).length).to.equal(isThere ? 3 : 1);
        const repeat = isThere ? fatal : someEvents(2);
        expect(await store.append(stream, 0, repeat)).to.deep.equal({ revision: 2, position: 3 });
        await store.append(stream, 2, someEvents(1));
        expect((await following).map(({ position }) => position)).to.deep.equal([1, 2, 3, 4]);
      });
    }
  });

  describe('its followers', () => {
    it('get the same objects, so that memory holds an event once', async () => {
      const store = await openStore();
      const followers = [follow(store, START, 40), follow(store, START, 40)];
      await writeConcurrently(store, 8, 5);
      const [one = [], other = []] = await Promise.all(followers);
      expect(one).to.have.length(40);
      for (const [index, event] of one.entries()) expect(event).to.equal(other[index]);
    });

    it('miss nothing when they fall far behind', async () => {
      const store = await openStore({ mode: 'inline' });
      const stream = newStream();
      const caughtUp = Promise.withResolvers<void>();
      const following = follow(store, START, 26_000, () => caughtUp.promise);
      for (let revision = NO_STREAM; revision < 24_999; revision += 1000) {
        await store.append(stream, revision, someEvents(1000));
      }
      caughtUp.resolve();
      await store.append(stream, 24_999, someEvents(1000));
      const revisions = (await following).map((event: StoredEvent) => event.revision);
      expect(revisions).to.have.length(26_000);
      expect(revisions.every((revision, index) => revision === index)).to.be.true;
    });
  });
});
