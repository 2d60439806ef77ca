import { expect } from 'chai';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createDocumentCommitter } from '#adapters/sqlite/document-committer.ts';
import { createTraces } from '#adapters/sqlite/erase-traces.ts';
import { openSqliteDocumentStore } from '#adapters/sqlite/sqlite-document-store.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';

interface Person extends Document {
  readonly name: string;
}

const person = (_id: string, name: string) => {
  const put: Person = { _id, name };
  return { collection: 'people', put };
};

// docs/rules/personal-data.md#files
describe('what a document store in a file has deleted', () => {
  let folder: string;
  const open: DocumentStore[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tillroll-traces-'));
  });
  afterEach(async () => {
    for (const store of open.splice(0)) await store.close();
    rmSync(folder, { recursive: true });
  });

  const opened = async (mode: 'inline' | 'thread' = 'inline'): Promise<DocumentStore> => {
    const store = await openSqliteDocumentStore({
      file: join(folder, 'state.db'),
      mode,
      synchronous: 'NORMAL',
    });
    open.push(store);
    return store;
  };
  const filesWith = (text: string): readonly string[] =>
    readdirSync(folder).filter((file) => readFileSync(join(folder, file)).includes(text));
  /** Long enough for pages of its own. */
  const long = (name: string): string => `${name} ${'of Hull '.repeat(2000)}`;

  for (const mode of ['inline', 'thread'] as const) {
    it(`is in no file once it is erased (${mode})`, async () => {
      const store = await opened(mode);
      await store.declare('people', [{ fields: ['name'] }, { fields: ['name'], contains: true }]);
      const write = (name: string) => store.write([person('ada', name), person('byron', long(name))]);
      await write('Ada Lovelace');
      expect(filesWith('Ada Lovelace')).not.to.deep.equal([]);
      await write('Grace Hopper');
      await store.erase();
      expect(filesWith('Ada Lovelace'), 'replaced').to.deep.equal([]);
      expect(filesWith('Grace Hopper')).not.to.deep.equal([]);
      await store.deleteMany('people', { name: { gte: '' } }, 10);
      await store.erase();
      expect(filesWith('Grace Hopper'), 'deleted').to.deep.equal([]);
      await write('Edsger Dijkstra');
      await store.drop('people');
      await store.erase();
      expect(filesWith('Edsger Dijkstra'), 'dropped').to.deep.equal([]);
    });
  }

  it('is in files of the same folder that have no name where it is sorted', function () {
    // Elsewhere nothing says which files a process has open.
    if (process.platform !== 'linux') this.skip();
    const file = join(folder, 'state.db');
    const nameless = new Set<string>();
    const noteNameless = (): number => {
      for (const fd of readdirSync('/proc/self/fd').map((name) => `/proc/self/fd/${name}`)) {
        const opened = lstatSync(fd, { throwIfNoEntry: false }) ? readlinkSync(fd) : '';
        if (opened.startsWith(`${folder}/`) && opened.endsWith(' (deleted)')) nameless.add(opened);
      }
      return 0;
    };
    const committer = createDocumentCommitter(
      { file, synchronous: 'NORMAL', busyTimeoutMilliseconds: 1000 },
      (db) => {
        db.function('noteNameless', noteNameless);
        db.exec(`
          CREATE TABLE sorted AS
            WITH RECURSIVE rows (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM rows WHERE number < 20000)
            SELECT noteNameless(), value
            FROM (SELECT randomblob(1000) AS value FROM rows ORDER BY value LIMIT -1) LIMIT 1`);
        return createTraces(db);
      },
    );
    committer.close();
    expect(nameless).not.to.have.length(0);
    expect(readdirSync(folder)).to.deep.equal(['state.db']);
  });

  it('goes from a file that an older release has written, too', async () => {
    const file = new DatabaseSync(join(folder, 'state.db'));
    file.exec(`
      CREATE TABLE "people" (id TEXT PRIMARY KEY, position INTEGER, removed INTEGER NOT NULL, doc TEXT) STRICT;
      INSERT INTO "people" VALUES ('ada', NULL, 0, '{"_id":"ada","name":"${long('Ada Lovelace')}"}');
      DELETE FROM "people";
    `);
    file.close();
    expect(filesWith('Ada Lovelace')).not.to.deep.equal([]);
    const store = await opened();
    await store.write([person('grace', 'Grace')]);
    await store.erase();
    expect(filesWith('Ada Lovelace')).to.deep.equal([]);
    expect(await store.get('people', 'grace')).to.deep.equal({ _id: 'grace', name: 'Grace' });
    await store.erase();
  });

  it('goes from the gaps of pages, too, between which records were moved', async () => {
    const store = await opened();
    await store.declare('people', [
      { fields: ['total'], including: ['status', 'at', 'name'] },
      { fields: ['status', 'at'], including: ['name'] },
    ]);
    const write = async (name: string, status: string, atOnce: number): Promise<void> => {
      const record = (n: number) => {
        const at = `2026-11-27T04:41:${(n * 31) % 60}.${n}Z`;
        const _id = `${(n * 7919) % 10_007}-aaaa-bbbb-cccc-dddd`;
        const put: Person = { _id, name, ...{ total: 1200, status, at } };
        return { collection: 'people', put };
      };
      for (let first = 0; first < 1000; first += atOnce)
        await store.write(Array.from({ length: atOnce }, (_, next) => record(first + next)));
    };
    const name = `Ada Lovelace ${'x'.repeat(56)}`;
    await write('', 'Active', 5);
    await write(name, 'Active', 1);
    await write(name, 'Converted', 1);
    await write('', 'Converted', 25);
    await store.erase();
    expect(filesWith('Ada Lovelace')).to.deep.equal([]);
  });

  it('waits for who is still reading what was there before', async () => {
    const store = await opened();
    await store.write([person('ada', 'Ada Lovelace')]);
    const reader = new DatabaseSync(join(folder, 'state.db'));
    reader.exec('BEGIN');
    reader.prepare('SELECT * FROM "people"').all();
    await store.deleteMany('people', { _id: 'ada' }, 1);
    let isErased = false;
    const erasing = store.erase().then(() => (isErased = true));
    await store.write([person('grace', 'Grace')]);
    expect(isErased).to.equal(false);
    reader.close();
    await erasing;
    expect(filesWith('Ada Lovelace')).to.deep.equal([]);
  });

  const touched = (): bigint => statSync(join(folder, 'state.db'), { bigint: true }).mtimeNs;

  it('is not looked for again at night in a small file, which has been rewritten at once', async () => {
    const store = await opened();
    await store.write([person('ada', 'Ada Lovelace')]);
    await store.erase();
    const before = touched();
    await store.erase({ isRewrite: true });
    expect(touched()).to.equal(before);
  });

  it('has the file rewritten once for an occasion, however often that is tried', async () => {
    const store = await opened();
    await store.write([person('ada', 'Ada Lovelace')]);
    await store.erase({ occasion: 7 });
    const before = touched();
    await store.erase({ occasion: 7 });
    expect(touched()).to.equal(before);
    await store.erase({ occasion: 8 });
    expect(touched() > before).to.equal(true);
  });

  it('refuses nothing that was written meanwhile, when it cannot be erased', () => {
    const file = join(folder, 'state.db');
    const committer = createDocumentCommitter(
      { file, synchronous: 'FULL', busyTimeoutMilliseconds: 10 },
      () => ({
        erase: () => {
          throw new Error('database or disk is full');
        },
      }),
    );
    const put = { collection: 'people', id: 'ada', position: null, doc: '{"_id":"ada"}' };
    const [written, erased] = committer.commit([
      { kind: 'write', writes: [put] },
      { kind: 'erase', step: 'rewrite' },
    ]);
    expect(written).to.deep.equal({ kind: 'done', answer: null });
    expect(erased).to.include({ kind: 'refused', error: 'EngineUnavailable' });
    committer.close();
  });

  describe('leaves the others where searches look for them', () => {
    const indexes = [{ fields: ['name'] }, { fields: ['name'], contains: true }] as const;
    const found = async (store: DocumentStore, part: string): Promise<readonly string[]> => {
      const looking = { filter: { name: { contains: part } }, sort: [['name', 1]] } as const;
      return (await store.find<Person>('people', looking)).map(({ _id }) => _id);
    };
    const names = ['Ada Lovelace', 'Charles Babbage', 'Grace Hopper', 'Mary Somerville'];
    const forgetsSome = async (store: DocumentStore): Promise<void> => {
      await store.declare('people', indexes);
      await store.write(names.map((name) => person(name, name)));
      // Gaps in the numbers of rows, which a file without numbers of its own would close.
      await store.deleteMany('people', { _id: { in: ['Ada Lovelace', 'Charles Babbage'] } }, 2);
      await store.erase();
      await store.write([person('Ada Byron', 'Ada Byron'), person('Mary Somerville', 'Mary Fairfax')]);
      await store.erase();
      expect(await found(store, 'Grace')).to.deep.equal(['Grace Hopper']);
      expect(await found(store, 'Fairfax')).to.deep.equal(['Mary Somerville']);
      expect(await found(store, 'Byron')).to.deep.equal(['Ada Byron']);
      expect(await found(store, 'Love')).to.deep.equal([]);
    };

    it('in tables of their own numbers', async () => {
      await forgetsSome(await opened());
      const file = new DatabaseSync(join(folder, 'state.db'), { readOnly: true });
      const keys = file.prepare(`SELECT name FROM pragma_table_info('people') WHERE pk > 0`).all();
      file.close();
      expect(keys.map(({ name }) => name)).to.deep.equal(['number']);
    });

    it('in tables of an older release', async () => {
      const file = new DatabaseSync(join(folder, 'state.db'));
      file.exec(
        'CREATE TABLE "people" (id TEXT PRIMARY KEY, position INTEGER, removed INTEGER NOT NULL, doc TEXT) STRICT',
      );
      file.close();
      await forgetsSome(await opened());
    });
  });
});
