import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { countOf, planOf } from '#adapters/sqlite/document-plan.ts';
import type { Sql } from '#adapters/sqlite/document-query.ts';
import { createCollection } from '#adapters/sqlite/document-tables.ts';
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
  before(() => createCollection(db, 'checkouts', indexes));
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
        const { sql } = planOf('checkouts', indexes, { filter, sort, skip: 0, limit: 50 });
        const steps = explained('EXPLAIN QUERY PLAN', sql.among?.ifMore ?? sql);
        expect(steps.map(({ detail }) => String(detail)).join('\n'), sorted).to.match(
          /USING INDEX checkouts:plain:/,
        );
      }
      const count = countOf('checkouts', indexes, { _id: { gte: '' }, ...filter });
      const opcodes = explained('EXPLAIN', count.among?.ifMore ?? count);
      expect(opcodes.filter(({ p4 }) => String(p4).startsWith('json_extract'))).to.deep.equal([]);
    });
});
