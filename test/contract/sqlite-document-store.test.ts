import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { expect } from 'chai';

import { createDocumentCommitter } from '#adapters/sqlite/document-committer.ts';
import { orderOf, whereOf } from '#adapters/sqlite/document-query.ts';
import { indexesOf, indexName, tableIn } from '#adapters/sqlite/document-tables.ts';
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

    const view = 'view_v1_1';
    const numbered = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => {
        const number = from + index;
        const put = { _id: `id-${number}`, number, name: `the ${number}th`, code: `c${number % 1500}` };
        return { collection: view, put, position: number + 1 };
      });
    const indexNames = (): readonly string[] => {
      const db = new DatabaseSync(file);
      const names = indexesOf(db, view).map((index) => indexName(view, index));
      db.close();
      return names;
    };

    it('gives what a rebuild fills its indexes once it is large, and a small one at the end', async () => {
      const [store, rebuild] = [await open(), await open({ exclusive: false, sortedAtOnce: 100 })];
      const indexes = [{ fields: ['number'] }, { fields: ['name'], contains: true as const }];
      const found = async (filter: Filter): Promise<readonly string[]> =>
        (await store.find(view, { filter, sort: [['number', 1]] })).map(({ _id }) => _id);
      await store.declare(view, indexes, { filling: 'begins' });
      await rebuild.declare(view, indexes, { filling: 'begins' });
      await rebuild.write(numbered(0, 100));
      expect(indexNames()).to.deep.equal([]);
      await rebuild.write(numbered(100, 150));
      expect(indexNames()).to.have.length(2);
      await rebuild.write([...numbered(150, 200), { collection: view, remove: 'id-142', position: 300 }]);
      await rebuild.declare(view, indexes, { filling: 'ends' });
      expect(await found({ number: { gte: 198 } })).to.deep.equal(['id-198', 'id-199']);
      const named = ['id-42'];
      expect(await found({ number: { gte: 0 }, name: { contains: '42th' } })).to.deep.equal(named);

      await rebuild.drop(view);
      await rebuild.declare(view, indexes, { filling: 'begins' });
      await rebuild.write(numbered(0, 100));
      await rebuild.declare(view, indexes, { filling: 'ends' });
      expect(indexNames()).to.have.length(2);
    });

    it('keeps what a rebuild has written where it cannot have its indexes', async () => {
      const rebuild = await open({ exclusive: false, sortedAtOnce: 100 });
      const indexes = [{ fields: ['code'], unique: true }];
      await rebuild.declare(view, indexes, { filling: 'begins' });
      const twice = { collection: view, put: { _id: 'twice', code: 'c7' } };
      expect(await failureOf(rebuild.write([...numbered(0, 150), twice]))).to.be.instanceOf(DuplicateKey);
      expect(await rebuild.count(view)).to.equal(151);
      await rebuild.write(numbered(150, 160));
      const failure = await failureOf(rebuild.declare(view, indexes, { filling: 'ends' }));
      expect(failure).to.be.instanceOf(DuplicateKey);
    });

    it('drops a large collection by pieces, and goes on after a kill in the middle of that', async () => {
      const indexes = [{ fields: ['number'] }, { fields: ['name'], contains: true as const }];
      const first = await open({ sortedAtOnce: 100 });
      await first.declare(view, indexes);
      await first.write(numbered(0, 600));
      await first.close();
      const drop = { kind: 'drop', collection: view, piece: 250 } as const;
      // Three triggers, the index, the parts, and documents twice.
      for (let pieces = 0; pieces < 7; pieces++) {
        const killed = createDocumentCommitter({
          file,
          synchronous: 'NORMAL',
          busyTimeoutMilliseconds: 1000,
        });
        expect(killed.commit([drop])).to.deep.equal([{ kind: 'done', answer: true }]);
        killed.close();
      }
      const store = await open({ sortedAtOnce: 100 });
      expect(await store.count(view)).to.equal(100);
      await store.drop(view);
      expect(await store.collections()).to.deep.equal([]);
      const left = new DatabaseSync(file);
      const names = left.prepare(`SELECT name FROM sqlite_schema WHERE name LIKE '%:%'`).all();
      left.close();
      expect(names).to.deep.equal([]);
    });

    it('fails as unavailable while the file is locked, and works again afterwards', async () => {
      const store = await open({ busyTimeoutMilliseconds: 1 });
      await put(store, { _id: 'a', total: 1 });
      const foreign = new DatabaseSync(file);
      foreign.exec('BEGIN IMMEDIATE');
      expect(await failureOf(put(store, { _id: 'a', total: 2 }))).to.be.instanceOf(EngineUnavailable);
      expect(await store.get(baskets, 'a')).to.deep.equal({ _id: 'a', total: 1 });
      expect(String(await failureOf(store.ping()))).to.include('the last write failed');
      foreign.exec('ROLLBACK');
      foreign.close();
      await put(store, { _id: 'a', total: 3 });
      await store.ping();
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
