import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { countOf, planOf } from '#adapters/sqlite/document-plan.ts';
import type { Sql } from '#adapters/sqlite/document-query.ts';
import { createCollection, tableIn } from '#adapters/sqlite/document-tables.ts';
import { abandonedCheckoutListQuery } from '#contracts/abandoned-checkouts.contract.ts';
import { abandonedCheckoutsProjection } from '#projection/contexts/abandoned-checkouts/abandoned-checkouts.projection.ts';
import { checkoutFilter } from '#projection/contexts/abandoned-checkouts/abandoned-checkouts.queries.ts';

const { indexes } = abandonedCheckoutsProjection;
const sorts = ['sortedAt', 'lastActivityAt', 'total', 'emailKey'];
const queries = [
  { fromDate: '2026-01-01', toDate: '2026-01-31' },
  { fromDate: '2026-01-01', status: 'Abandoned' },
  { toDate: '2026-01-31', status: 'Recovered', search: 'ada' },
];

// docs/architecture.md#counting
describe('A page of abandoned checkouts opened within some days', () => {
  const db = new DatabaseSync(':memory:');
  let documents: unknown;
  before(() => {
    createCollection(db, 'checkouts', indexes);
    const named = `SELECT cid FROM pragma_table_xinfo('checkouts') WHERE name = 'doc'`;
    documents = db.prepare(named).get()?.['cid'];
  });
  after(() => db.close());

  const explained = (how: string, { text, parameters }: Sql) =>
    db.prepare(`${how} ${text}`).all(...parameters);

  for (const query of queries)
    it(`is read and counted in an index, by every sort: ${Object.keys(query).join(', ')}`, () => {
      const filter = checkoutFilter(abandonedCheckoutListQuery.parse(query), 'UTC');
      for (const sorted of sorts) {
        const sort = [
          [sorted, -1],
          ['_id', -1],
        ] as const;
        const { sql } = planOf(tableIn(db, 'checkouts'), { filter, sort, skip: 0, limit: 50 });
        const steps = explained('EXPLAIN QUERY PLAN', sql.among?.ifMore ?? sql);
        expect(steps.map(({ detail }) => String(detail)).join('\n'), sorted).to.match(
          /USING INDEX checkouts:plain:/,
        );
      }
      const count = countOf(tableIn(db, 'checkouts'), { _id: { gte: '' }, ...filter });
      const opcodes = explained('EXPLAIN', count.among?.ifMore ?? count);
      const rows = opcodes.flatMap(({ opcode, p3 }) => (opcode === 'DeferredSeek' ? [p3] : []));
      expect(rows).to.have.length.at.least(1);
      const taken = opcodes.filter(({ opcode, p1 }) => opcode === 'Column' && rows.includes(p1));
      // The document itself is looked at where a text may be a list or an object.
      expect(taken.filter(({ p2 }) => p2 !== documents)).to.deep.equal([]);
    });
});
