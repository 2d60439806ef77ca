import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { expect } from 'chai';

import { createDocumentCommitter } from '#adapters/sqlite/document-committer.ts';
import { orderOf, whereOf } from '#adapters/sqlite/document-query.ts';
import { tableIn } from '#adapters/sqlite/document-tables.ts';
import {
  openSqliteDocumentStore,
  type SqliteDocumentStoreOptions,
} from '#adapters/sqlite/sqlite-document-store.ts';
import type { Document } from '#kernel/projection.ts';
import { DuplicateKey, type DocumentStore, type Filter } from '#ports/document-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { describeDocumentStore } from './document-store.contract.ts';

const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'tillroll-documents-'));

describeDocumentStore({
  name: 'SQLite (inline)',
  isTransactional: true,
  open: async () => {
    const folder = temporaryFolder();
    const store = await openSqliteDocumentStore({ file: join(folder, 'read.db'), mode: 'inline' });
    return {
      store,
      dispose: async () => {
        await store.close();
        rmSync(folder, { recursive: true });
      },
    };
  },
});

describe('with a writer thread', () => {
  const folder = temporaryFolder();
  let store: DocumentStore | undefined;

  after(async () => {
    await store?.close();
    rmSync(folder, { recursive: true });
  });

  describeDocumentStore({
    name: 'SQLite (thread)',
    isTransactional: true,
    open: async () => {
      const shared = (store ??= await openSqliteDocumentStore({ file: join(folder, 'read.db') }));
      const dispose = async (): Promise<void> => {
        for (const collection of await shared.collections()) await shared.drop(collection);
      };
      return { store: shared, dispose };
    },
  });
});

describeDocumentStore({
  name: 'SQLite (read in threads)',
  isTransactional: true,
  open: async () => {
    const folder = temporaryFolder();
    const store = await openSqliteDocumentStore({ file: join(folder, 'read.db'), shortRead: -1 });
    return {
      store,
      dispose: async () => {
        await store.close();
        rmSync(folder, { recursive: true });
      },
    };
  },
});

interface Basket extends Document {
  readonly total?: number;
  readonly items?: string | readonly string[];
}

describe('documents in an SQLite file', () => {
  const baskets = 'baskets';
  let folder: string;
  let file: string;
  const opened: DocumentStore[] = [];

  const open = async (options: Partial<SqliteDocumentStoreOptions> = {}): Promise<DocumentStore> => {
    const store = await openSqliteDocumentStore({ file, ...options });
    opened.push(store);
    return store;
  };
  const put = (store: DocumentStore, ...documents: readonly Basket[]): Promise<void> =>
    store.write(documents.map((document) => ({ collection: baskets, put: document })));
  const containing = (contains: string) => ({ _id: { gte: '' }, items: { contains } });
  const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => null,
      (error: unknown) => error,
    );

  beforeEach(() => {
    folder = temporaryFolder();
    file = join(folder, 'deep', 'state.db');
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
    rmSync(folder, { recursive: true });
  });

  it('are written in one transaction where they come at once, and none is refused for the sake of another', async () => {
    const store = await open();
    await store.declare(baskets, [{ fields: ['items'], unique: true }]);
    await put(store, { _id: 'first', items: 'mug' });
    const before = store.written ?? { commits: NaN, documents: NaN };
    const [refused, ...others] = await Promise.all(
      [
        put(store, { _id: 'beside' }, { _id: 'second', items: 'mug' }),
        put(store, { _id: 'third', items: 'tea' }),
        put(store, { _id: 'fourth' }, { _id: 'fifth' }),
      ].map(failureOf),
    );
    expect(refused).to.be.instanceOf(DuplicateKey);
    expect(others).to.deep.equal([null, null]);
    expect((await store.find(baskets)).map(({ _id }) => _id)).to.have.members([
      'first',
      'third',
      'fourth',
      'fifth',
    ]);
    expect(store.written).to.deep.equal({ commits: before.commits + 1, documents: before.documents + 3 });
  });

  describe('on disk', () => {
    it('are there with their indexes and positions when the file is opened again', async () => {
      const before = await open();
      await before.declare(baskets, [{ fields: ['total'] }, { fields: ['items'], unique: true }]);
      await before.write([{ collection: baskets, put: { _id: 'a', total: 5 } as Basket, position: 7 }]);
      await before.close();
      expect(existsSync(`${file}-wal`)).to.equal(false);

      const store = await open();
      expect(await store.collections()).to.deep.equal([baskets]);
      expect(await store.find(baskets, { filter: { total: 5 } })).to.deep.equal([{ _id: 'a', total: 5 }]);
      await store.write([{ collection: baskets, remove: 'a', position: 6 }]);
      expect(await store.count(baskets)).to.equal(1);
    });

    it('are there after a kill, whatever was acknowledged', async () => {
      const child = fork(new URL('../support/acknowledge-documents.ts', import.meta.url), [file]);
      let acknowledged = 0;
      child.on('message', (count) => {
        acknowledged = Number(count);
        if (acknowledged === 300) child.kill('SIGKILL');
      });
      await once(child, 'exit');
      const store = await open();
      const [last] = await store.find<Basket>(baskets, { sort: [['total', -1]], limit: 1 });
      expect(acknowledged).to.be.at.least(300);
      expect(await store.count(baskets)).to.be.at.least(acknowledged);
      expect(last?.total).to.equal(await store.count(baskets));
      expect(await store.count(baskets, containing('mug'))).to.equal(last?.total);
    });

    it('are found by parts of their texts where a former release had triggers keep these', async () => {
      const before = await open();
      const index = { fields: ['items'], contains: true } as const;
      await before.declare(baskets, [index]);
      await put(before, { _id: 'a', items: 'a mug' }, { _id: 'b', items: 'a cup' });
      await before.close();
      const db = new DatabaseSync(file);
      const parts = '"baskets:parts:items"';
      db.exec(`
        DROP TABLE "baskets:parts:items:changed";
        ${['INSERT', 'UPDATE', 'DELETE'].map((event) => `DROP TRIGGER "baskets:parts:items:${event}";`).join('')}
        CREATE TRIGGER "baskets:parts:items:INSERT" AFTER INSERT ON baskets
          BEGIN INSERT INTO ${parts} (rowid, text) VALUES (new.rowid, new.doc ->> '$.items'); END;
      `);
      db.close();

      const store = await open();
      await store.declare(baskets, [index]);
      const withMug = async () =>
        (await store.find(baskets, { filter: containing('mug'), sort: [['_id', 1]] })).map(({ _id }) => _id);
      expect(await withMug()).to.deep.equal(['a']);
      await put(
        store,
        { _id: 'a', items: 'a pot' },
        { _id: 'b', items: 'a mug' },
        { _id: 'c', items: 'mugs' },
      );
      expect(await withMug()).to.deep.equal(['b', 'c']);
      expect(await store.count(baskets, containing('mug'))).to.equal(2);
    });

    it('are found by parts of their texts as they stand, beside a write that is refused', async () => {
      const store = await open();
      await store.declare(baskets, [
        { fields: ['items'], contains: true },
        { fields: ['total'], unique: true },
      ]);
      await put(store, { _id: 'a', items: 'a mug', total: 1 });
      const [refused, taken] = await Promise.all(
        [
          put(store, { _id: 'a', items: 'a pot', total: 2 }, { _id: 'b', items: 'a mug', total: 2 }),
          put(store, { _id: 'c', items: 'a mug', total: 3 }),
        ].map(failureOf),
      );
      expect(refused).to.be.instanceOf(DuplicateKey);
      expect(taken).to.equal(null);
      expect(await store.count(baskets, containing('mug'))).to.equal(2);
      expect(await store.count(baskets, containing('pot'))).to.equal(0);
    });

    it('are found by parts of their texts, and not of a list that looks like a text', async () => {
      const store = await open();
      await store.declare(baskets, [{ fields: ['items'], contains: true }]);
      for (const [items, found] of [
        [['a mug'], 0],
        ['["a mug"]', 1],
        [['a mug'], 0],
      ] as const) {
        await put(store, { _id: 'a', items });
        expect(await store.count(baskets, containing('a mug'))).to.equal(found);
      }
    });

    it('are all written before the file is closed', async () => {
      const store = await open();
      const written = Array.from({ length: 20 }, (_, index) => put(store, { _id: `b${index}` }));
      await store.close();
      await Promise.all(written);
      expect(await (await open()).count(baskets)).to.equal(20);
    });

    it('are served by the index that serves', async () => {
      const store = await open();
      const indexes = [{ fields: ['customer.email', 'total'] }];
      await store.declare(baskets, indexes, { filling: 'begins' });
      await put(store, { _id: 'a', total: 1 });
      await store.declare(baskets, indexes);
      const db = new DatabaseSync(file);
      const { columns } = tableIn(db, baskets);
      const { text } = whereOf({ 'customer.email': 'ann@shop.example' }, columns);
      const plan = db
        .prepare(`EXPLAIN QUERY PLAN SELECT doc FROM baskets ${text} ${orderOf([['total', 1]], columns)}`)
        .all();
      db.close();
      expect(plan.map(({ detail }) => detail)).to.deep.equal([
        'SEARCH baskets USING INDEX baskets:plain:customer.email:total (.customer.email=?)',
      ]);
    });
  });

  describe('the one that writes', () => {
    it('keeps a second one out, but no reader', async () => {
      const store = await open();
      await put(store, { _id: 'a', total: 1 });
      expect(await failureOf(open())).to.have.property('name', 'HeldByAnotherProcess');

      const reader = await open({ readOnly: true });
      expect(await reader.get(baskets, 'a')).to.deep.equal({ _id: 'a', total: 1 });
      await put(store, { _id: 'a', total: 2 });
      expect(await reader.get(baskets, 'a')).to.deep.equal({ _id: 'a', total: 2 });
      expect(await failureOf(put(reader, { _id: 'b' }))).to.be.instanceOf(Error);
    });

    it('shares the file with a rebuild that says it is one', async () => {
      const [store, rebuild] = [await open(), await open({ exclusive: false })];
      const fill = async (from: DocumentStore, collection: string): Promise<void> => {
        for (let batch = 0; batch < 10; batch++) {
          const documents = Array.from({ length: 100 }, (_, index) => ({ _id: `${batch}-${index}` }));
          await from.write(documents.map((document) => ({ collection, put: document })));
        }
      };
      await Promise.all([fill(store, 'view_v1_a'), fill(rebuild, 'view_v1_b')]);
      expect(await store.count('view_v1_b')).to.equal(1000);
      expect(await rebuild.count('view_v1_a')).to.equal(1000);
    });

    it('gives a large collection its indexes piece by piece, and leaves it as it was where it cannot', async () => {
      const [store, rebuild] = [await open(), await open({ exclusive: false, sortedAtOnce: 100 })];
      const view = 'view_v1_1';
      const write = (from: number, to: number): Promise<void> =>
        rebuild.write(
          Array.from({ length: to - from }, (_, index) => {
            const number = from + index;
            const put = { _id: `id-${number}`, number, name: `the ${number}th`, code: `c${number % 1500}` };
            return { collection: view, put, position: number + 1 };
          }),
        );
      await write(0, 1000);
      await rebuild.write([{ collection: view, remove: 'id-7', position: 2000 }]);
      const indexes = [
        { fields: ['number'] },
        { fields: ['code'], unique: true },
        { fields: ['name'], contains: true as const },
      ];
      await rebuild.declare(view, indexes);
      const found = (filter: Filter) =>
        store.find<{ _id: string; number: number }>(view, { filter, sort: [['number', 1]] });
      expect((await found({ number: { gte: 998 } })).map(({ _id }) => _id)).to.deep.equal([
        'id-998',
        'id-999',
      ]);
      expect(await found({ code: 'c7' })).to.deep.equal([]);
      expect((await found({ name: { contains: '42th' } })).map(({ number }) => number)).to.include(542);
      await write(7, 8);
      expect(await store.get(view, 'id-7')).to.equal(null);
      expect(await failureOf(write(1507, 1509))).to.be.instanceOf(DuplicateKey);

      const other = 'view_v1_2';
      const twice = [1, 2, 3].map((number) => ({
        collection: other,
        put: { _id: `${number}`, code: 'same' },
      }));
      const many = Array.from({ length: 200 }, (_, index) => ({
        collection: other,
        put: { _id: `m${index}` },
      }));
      await rebuild.write([...many, ...twice]);
      expect(await failureOf(rebuild.declare(other, indexes))).to.be.instanceOf(DuplicateKey);
      expect(await store.count(other)).to.equal(203);
      await rebuild.drop(other);
      expect(await store.collections()).to.deep.equal([view]);
      const left = new DatabaseSync(file);
      const names = left.prepare(`SELECT name FROM sqlite_schema WHERE name LIKE '%:copy%'`).all();
      left.close();
      expect(names).to.deep.equal([]);
    });

    it('gives a collection its indexes after a kill in the middle of that, and gives none of them twice', async () => {
      const view = 'view_v1_1';
      const indexes = [{ fields: ['number'] }, { fields: ['name'], contains: true as const }];
      const write = (store: DocumentStore, from: number, to: number): Promise<void> =>
        store.write(
          Array.from({ length: to - from }, (_, index) => {
            const number = from + index;
            return { collection: view, put: { _id: `id-${number}`, number, name: `the ${number}th` } };
          }),
        );
      const rebuild = await open({ exclusive: false, sortedAtOnce: 100 });
      await write(rebuild, 0, 300);
      const killed = createDocumentCommitter({ file, synchronous: 'NORMAL', busyTimeoutMilliseconds: 1000 });
      killed.commit([{ kind: 'copy', collection: view, step: { begin: indexes } }]);
      killed.commit([{ kind: 'copy', collection: view, step: { after: 0, count: 100 } }]);
      killed.close();

      const store = await open();
      await store.declare(view, indexes);
      const named = { _id: { gte: '' }, name: { contains: 'the ' } };
      expect(await store.count(view, { number: { gte: 250 } })).to.equal(50);
      expect(await store.count(view, named)).to.equal(300);
      await write(store, 300, 301);
      expect(await store.count(view, named)).to.equal(301);

      const place = (): unknown => {
        const db = new DatabaseSync(file);
        const found = db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(view);
        db.close();
        return found?.['rootpage'];
      };
      const before = place();
      await rebuild.declare(view, indexes);
      expect(place()).to.equal(before);
    });

    it('fails as unavailable while the file is locked, and works again afterwards', async () => {
      const store = await open({ busyTimeoutMilliseconds: 1 });
      await put(store, { _id: 'a', total: 1 });
      const foreign = new DatabaseSync(file);
      foreign.exec('BEGIN IMMEDIATE');
      expect(await failureOf(put(store, { _id: 'a', total: 2 }))).to.be.instanceOf(EngineUnavailable);
      expect(await store.get(baskets, 'a')).to.deep.equal({ _id: 'a', total: 1 });
      foreign.exec('ROLLBACK');
      foreign.close();
      await put(store, { _id: 'a', total: 3 });
      expect(await store.get(baskets, 'a')).to.deep.equal({ _id: 'a', total: 3 });
    });

    it('notices that its file was deleted', async () => {
      const store = await open();
      await store.ping();
      rmSync(file);
      expect(await failureOf(store.ping())).to.be.instanceOf(EngineUnavailable);
    });

    it('answers nothing once it is closed', async () => {
      const store = await open();
      await store.close();
      await store.close();
      expect(await failureOf(store.get(baskets, 'a'))).to.be.instanceOf(EngineUnavailable);
      expect(await failureOf(put(store, { _id: 'a' }))).to.be.instanceOf(EngineUnavailable);
      expect(await failureOf(store.ping())).to.be.instanceOf(EngineUnavailable);
    });
  });

  describe('in demand', () => {
    it('are the same object until they are written again, however', async () => {
      const store = await open({ mode: 'inline' });
      await store.declare(baskets, [{ fields: ['total'] }]);
      const changes = [
        () => put(store, { _id: 'a', total: 1 }),
        () => store.updateIf(baskets, { total: 1 }, { increment: { total: 1 } }),
        () => store.deleteMany(baskets, { total: 2 }, 1),
        () => store.insertIfAbsent(baskets, { _id: 'a', total: 3 } as Basket),
        () => store.write([{ collection: baskets, remove: 'a', position: 4 }]),
        () => put(store, { _id: 'a', total: 5 }),
        () => store.drop(baskets),
      ];
      const seen: (number | undefined)[] = [];
      for (const change of changes) {
        await change();
        const document = await store.get<Basket>(baskets, 'a');
        expect(await store.get(baskets, 'a')).to.equal(document);
        expect((await store.getMany(baskets, ['a']))[0] ?? null).to.equal(document);
        seen.push(document?.total);
      }
      expect(seen).to.deep.equal([1, 2, undefined, 3, undefined, 5, undefined]);
    });

    it('are kept within bounds of number and size', async () => {
      const store = await open({ mode: 'inline', cache: { documents: 2, characters: 1000 } });
      await put(store, { _id: 'a' }, { _id: 'b' }, { _id: 'c' }, { _id: 'big', items: 'x'.repeat(2000) });
      const isKept = async (id: string): Promise<boolean> =>
        (await store.get(baskets, id)) === (await store.get(baskets, id));
      expect(await isKept('a')).to.equal(true);
      expect(await isKept('big')).to.equal(false);
      const first = await store.get(baskets, 'a');
      await store.getMany(baskets, ['b', 'c']);
      expect(await store.get(baskets, 'a')).not.to.equal(first);
    });

    it('are read afresh where another process may write', async () => {
      const store = await open({ mode: 'inline', cache: false });
      await put(store, { _id: 'a' });
      expect(await store.get(baskets, 'a')).not.to.equal(await store.get(baskets, 'a'));
    });
  });
});
