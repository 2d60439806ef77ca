import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from 'chai';
import fc from 'fast-check';
import { Query } from 'mingo';

import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { queryOf, sortOf } from '#adapters/mongodb/document-filter.ts';
import { documentOf, rowOf, storedValue } from '#adapters/mongodb/document-row.ts';
import { openMongoDocumentStore } from '#adapters/mongodb/mongo-document-store.ts';
import { openSqliteDocumentStore } from '#adapters/sqlite/sqlite-document-store.ts';
import type { Document, IndexSpec } from '#kernel/projection.ts';
import type { Condition, DocumentStore, Filter, FindOptions, Scalar } from '#ports/document-store.ts';
import { onRealEngine } from '#test/support/real-engine.ts';

// Any documents, any filter, any sort: SQLite finds what the memory store finds, and both what MongoDB's rules say.

const text = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '1',
    'true',
    'null',
    '{"x":1}',
    '[1]',
    '{}',
    '%',
    '_',
    `'`,
    '"',
    'é',
    '漢',
    'a',
    'ab',
    'abc',
    'abcd',
    'xabcdx',
    'Abc',
    'x"abc',
    'a\0abc',
    '漢字漢字',
  ),
  fc.string({ maxLength: 3 }),
);
const number = fc.oneof(
  fc.integer({ min: -2, max: 3 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0.1 + 0.2, 1e21, Number.MAX_SAFE_INTEGER, -1e-7),
);
const scalar: fc.Arbitrary<Scalar> = fc.oneof(text, number, fc.boolean(), fc.constant(null));
/** Values that SQLite's JSON functions do not tell apart by themselves. */
const lookalike = fc.constantFrom<Scalar>(true, false, 0, 1, '0', '1', 'true', '{"x":1}', 'null', null);
const optional = { requiredKeys: [] };

const document = fc.record(
  {
    kind: fc.oneof(scalar, lookalike, fc.constant({ x: 1 })),
    inner: fc.oneof(fc.record({ kind: scalar, 'a-b_2': scalar }, optional), scalar),
    tags: fc.oneof(fc.array(scalar, { maxLength: 4 }), fc.constant(null)),
    name: fc.oneof(text, fc.constant(null)),
    total: fc.oneof(number, fc.constant(null)),
    isGift: fc.oneof(fc.boolean(), fc.constant(null)),
  },
  optional,
);
const documents = fc
  .array(document, { maxLength: 12 })
  .map((all) => all.map((fields, index): Document => ({ _id: `d${(index * 7) % 13}`, ...fields })));

const bound = fc.oneof(text, number);
const condition: fc.Arbitrary<Condition> = fc.oneof(
  scalar,
  lookalike,
  fc.record(
    {
      in: fc.array(scalar, { maxLength: 4 }),
      ne: scalar,
      gt: bound,
      gte: bound,
      lt: bound,
      lte: bound,
      contains: text,
      exists: fc.boolean(),
    },
    optional,
  ),
  fc.record({ in: fc.array(lookalike, { maxLength: 4 }) }),
  fc.record({ ne: scalar }),
  fc.record({ gte: bound }),
  fc.record({ lt: bound }),
  fc.record({ contains: text }),
);
const has: fc.Arbitrary<Condition> = scalar.map((value) => ({ has: value }));
const conditions = {
  kind: condition,
  'inner.kind': condition,
  'inner.a-b_2': condition,
  name: condition,
  total: condition,
  tags: has,
};
const filter: fc.Arbitrary<Filter> = fc.oneof(
  fc.record(conditions, optional),
  // Alone, as several conditions rarely leave anything to find.
  ...Object.entries(conditions).map(([field, one]) => one.map((value): Filter => ({ [field]: value }))),
  lookalike.map((kind): Filter => ({ kind })),
  fc.array(lookalike, { maxLength: 4 }).map((values): Filter => ({ kind: { in: values } })),
);
const direction = fc.constantFrom<1 | -1>(1, -1);
const sort = fc.uniqueArray(fc.tuple(fc.constantFrom('name', 'total', 'isGift', '_id'), direction), {
  selector: ([field]) => field,
  maxLength: 3,
});
const page = { skip: fc.integer({ min: 0, max: 3 }), limit: fc.integer({ min: 0, max: 12 }) };
const served: Filter = { _id: { gte: 'd' } };

/** The condition as MongoDB would put it. */
function asMongo(condition: Condition): Record<string, unknown> {
  if (condition === null || typeof condition !== 'object') return { $eq: condition };
  const { contains, has, exists, ...same } = condition;
  const operators = Object.fromEntries(Object.entries(same).map(([name, operand]) => [`$${name}`, operand]));
  return {
    ...operators,
    ...(contains !== undefined && { $regex: new RegExp(RegExp.escape(contains)) }),
    ...(has !== undefined && { $elemMatch: { $eq: has } }),
    ...(exists !== undefined && { $not: { [exists ? '$eq' : '$ne']: null } }),
  };
}

function byMongoRules(
  all: readonly Document[],
  { filter = {}, sort = [], skip = 0, limit = 0 }: FindOptions,
): readonly unknown[] {
  const conditions = Object.entries(filter).filter(
    ([, condition]) =>
      condition === null || typeof condition !== 'object' || Object.keys(condition).length > 0,
  );
  const criteria = {
    $and: [{}, ...conditions.map(([field, condition]) => ({ [field]: asMongo(condition) }))],
  };
  const order = Object.fromEntries([
    ...sort,
    ...(sort.some(([field]) => field === '_id') ? [] : [['_id', 1] as const]),
  ]);
  return new Query(criteria)
    .find<Document>([...all])
    .sort(order)
    .all()
    .slice(skip, skip + limit);
}

/** What the adapter of MongoDB asks of its rows, by the same rules. */
function byAdapterOfMongo(
  all: readonly Document[],
  { filter = {}, sort = [], skip = 0, limit = 0 }: FindOptions,
): readonly unknown[] {
  const rows = all.map((document) => rowOf(storedValue(document), []));
  const found = new Query(queryOf(filter)).find<(typeof rows)[number]>(rows).sort(sortOf(sort)).all();
  return found.slice(skip, skip + limit).map((row) => documentOf(row));
}

const finds = (least: number, most: number) =>
  fc.array(fc.record({ filter, sort, ...page }), { minLength: least, maxLength: most });
const asServed = (find: FindOptions): FindOptions & { readonly filter: Filter } => ({
  ...find,
  filter: { ...find.filter, ...served },
});
const collection = 'anything';

/** Which indexed fields have a column in SQLite: all, those of the first index, or none, as in a former release. */
const declaring = fc.constantFrom('at first', 'one by one', 'at last');

async function refill(
  stores: readonly DocumentStore[],
  all: readonly Document[],
  declared = 'at first',
): Promise<void> {
  const indexes: readonly IndexSpec[] = [
    { fields: ['kind'] },
    { fields: ['name', 'total'] },
    { fields: ['total'], including: ['inner.kind', 'name'] },
    { fields: ['name'], contains: true },
    { fields: ['inner.kind'], contains: true },
  ];
  for (const store of stores) {
    await store.drop(collection);
    if (declared === 'at first') await store.declare(collection, indexes);
    if (declared === 'one by one') for (const index of indexes) await store.declare(collection, [index]);
    await store.write(all.map((put) => ({ collection, put })));
    if (declared === 'at last') await store.declare(collection, indexes);
  }
}

describe('finding documents', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillroll-queries-'));
  const memory = createMemoryDocumentStore();
  let sqlite: DocumentStore;

  before(async () => {
    sqlite = await openSqliteDocumentStore({
      file: join(folder, 'read.db'),
      mode: 'inline',
      synchronous: 'NORMAL',
    });
  });
  after(async () => {
    await sqlite.close();
    rmSync(folder, { recursive: true });
  });

  it('answers by the same rules in SQLite, in memory and in MongoDB', () =>
    fc.assert(
      fc.asyncProperty(documents, finds(4, 8), declaring, async (all, some, declared) => {
        await refill([memory, sqlite], all, declared);
        const stored = all.map((one) => JSON.parse(JSON.stringify(one)) as Document);
        for (const options of some.map(asServed)) {
          const found = await sqlite.find(collection, options);
          expect(found, 'SQLite and memory').to.deep.equal(await memory.find(collection, options));
          expect(found, 'SQLite and MongoDB').to.deep.equal(byMongoRules(stored, options));
          expect(found, 'SQLite and the adapter').to.deep.equal(byAdapterOfMongo(stored, options));
          const count = byMongoRules(stored, { filter: options.filter, limit: all.length }).length;
          expect(await sqlite.count(collection, options.filter)).to.equal(count);
        }
      }),
      { numRuns: 150 },
    ));
});

onRealEngine('TEST_READ_STORE', (url) => {
  describe('finding documents in MongoDB', () => {
    const memory = createMemoryDocumentStore();
    let mongo: DocumentStore;

    before(async () => {
      mongo = await openMongoDocumentStore({ url, database: 'tillroll_test_queries' });
    });
    after(async () => {
      await mongo.drop(collection);
      await mongo.close();
    });

    it('answers by the same rules as in memory', () =>
      fc.assert(
        fc.asyncProperty(documents, finds(10, 20), async (all, some) => {
          await refill([memory, mongo], all);
          for (const options of some.map(asServed)) {
            const found = await mongo.find(collection, options);
            expect(found).to.deep.equal(await memory.find(collection, options));
            expect(await mongo.count(collection, options.filter)).to.equal(
              await memory.count(collection, options.filter),
            );
          }
        }),
        { numRuns: 20 },
      ));
  });
});
