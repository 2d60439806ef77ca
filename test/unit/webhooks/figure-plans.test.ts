import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DocumentReader } from '#adapters/sqlite/document-reader.ts';
import type { Sql } from '#adapters/sqlite/document-query.ts';
import { openSqliteDocumentStore } from '#adapters/sqlite/sqlite-document-store.ts';
import { figureFields } from '#dispatcher/contexts/webhooks/delivery-figures.ts';
import { declareDeliveries } from '#dispatcher/contexts/webhooks/delivery-rows.ts';
import { rowsMade } from '#dispatcher/contexts/webhooks/rollup-rows.ts';
import { ALL } from '#dispatcher/contexts/webhooks/rollup-state.ts';
import { deliveriesCollection } from '#topics/webhook-delivery.ts';

const subscription = '0194f3a0-0000-7000-8000-000000000001';
const made = { from: '2026-03-01T09:00:00.000Z', before: '2026-03-01T10:00:00.000Z' };
const since = { from: made.from, to: '9999-12-31T22:59:59.999Z' };

describe('questions about deliveries', () => {
  let folder: string;
  let reader: DocumentReader;
  let db: DatabaseSync;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tillroll-'));
    const file = join(folder, 'state.db');
    const store = await openSqliteDocumentStore({ file });
    await declareDeliveries(store);
    await store.close();
    reader = new DocumentReader(file);
    db = new DatabaseSync(file, { readOnly: true });
  });
  after(() => {
    reader.close();
    db.close();
    rmSync(folder, { recursive: true });
  });

  const planOf = ({ text, parameters }: Sql): string =>
    db
      .prepare(`EXPLAIN QUERY PLAN ${text}`)
      .all(...parameters)
      .map(({ detail }) => String(detail))
      .join('\n');

  /** Where SQLite takes something from the row of a document, and not from an index. */
  const takenFromRows = ({ text, parameters }: Sql): readonly unknown[] => {
    const steps = db.prepare(`EXPLAIN ${text}`).all(...parameters);
    const rows = steps.flatMap(({ opcode, p3 }) => (opcode === 'DeferredSeek' ? [p3] : []));
    expect(rows).to.have.length.at.least(1);
    return steps.filter(({ opcode, p1 }) => opcode === 'Column' && rows.includes(p1));
  };

  for (const scope of [ALL, subscription])
    for (const [name, window] of Object.entries({ 'an hour': made, 'the last while': since }))
      it(`count ${name} of ${scope === ALL ? 'all' : 'a subscription'} from an index, document by document none`, () => {
        const { sql } = reader.countBy(deliveriesCollection, figureFields, rowsMade(scope, window));
        expect(planOf(sql)).to.match(/SEARCH \S+ USING INDEX .*\.\w+>\? AND \.\w+<\?/);
        expect(takenFromRows(sql)).to.deep.equal([]);
      });

  it('count the hours that are rolled up by subscription from an index', () => {
    const fields = ['subscriptionId', ...figureFields];
    const { sql } = reader.countBy(deliveriesCollection, fields, rowsMade(ALL, made));
    expect(takenFromRows(sql)).to.deep.equal([]);
  });

  it('find a page of some statuses, or the newest of all, without looking at more', () => {
    for (const status of ['Abandoned', { in: ['Abandoned', 'Retrying'] }]) {
      const filter = { subscriptionId: subscription, status };
      const options = { filter, sort: [['dateCreated', -1]], skip: 40, limit: 20 } as const;
      const { isShort, sql } = reader.find(deliveriesCollection, options);
      expect(isShort).to.equal(true);
      expect(planOf(sql)).to.not.match(/SCAN "?webhookDeliveries/);
    }
    const newest = { filter: rowsMade(ALL, since), sort: [['dateCreated', -1]], limit: 1 } as const;
    expect(planOf(reader.find(deliveriesCollection, newest).sql)).to.not.match(/SCAN "?webhookDeliveries/);
  });
});
