import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { planOf } from '#adapters/sqlite/document-plan.ts';
import type { Sql } from '#adapters/sqlite/document-query.ts';
import { createCollection, tableIn } from '#adapters/sqlite/document-tables.ts';
import type { Filter } from '#ports/document-store.ts';
import { orderListProjection } from '#projection/contexts/orders/order-list.projection.ts';

const { indexes } = orderListProjection;
const sorts = ['dateCreated', 'totalInStoreCurrency', 'invoiceNumber', 'customerKey', 'dueDate'];
const active = { cancellationStatus: 'active' };
const filters: Readonly<Record<string, Filter>> = {
  'no filter': active,
  'cancelled ones too': { cancellationStatus: { in: ['active', 'cancelled'] } },
  'a payment status': { ...active, 'balance.paymentStatus': 'Unpaid' },
  'a status, among several sets': { ...active, statusSet: { in: ['Shipped', 'Completed Shipped'] } },
  'a country': { ...active, 'billingAddress.countryCode': 'FR' },
  'a country and a fulfilment status': {
    ...active,
    'billingAddress.countryCode': 'FR',
    fulfillmentStatus: 'Fulfilled',
  },
  'a text that many have': { ...active, searchText: { contains: 'ada' } },
};

// docs/architecture.md#counting
describe('A page of orders', () => {
  const db = new DatabaseSync(':memory:');
  before(() => createCollection(db, 'orders', indexes));
  after(() => db.close());

  const stepsOf = ({ text, parameters }: Sql): readonly string[] =>
    db
      .prepare(`EXPLAIN QUERY PLAN ${text}`)
      .all(...parameters)
      .map(({ detail }) => String(detail));

  for (const [name, filter] of Object.entries(filters)) {
    it(`is read in the order of an index, by every sort: ${name}`, () => {
      for (const sorted of sorts) {
        for (const direction of [1, -1] as const) {
          const sort = [
            [sorted, direction],
            ['_id', direction],
          ] as const;
          const { sql } = planOf(tableIn(db, 'orders'), { filter, sort, skip: 0, limit: 50 });
          const steps = stepsOf(sql.among?.ifMore ?? sql);
          expect(steps.join('\n'), `${sorted} ${direction}`).to.not.match(/TEMP B-TREE/);
        }
      }
    });
  }

  it('of one customer is found among the orders of that customer, whatever it is sorted by', () => {
    for (const sorted of sorts) {
      const sort = [
        [sorted, -1],
        ['_id', -1],
      ] as const;
      const filter = { ...active, customerId: 'ada', 'balance.paymentStatus': 'Unpaid' };
      const { sql } = planOf(tableIn(db, 'orders'), { filter, sort, skip: 0, limit: 50 });
      expect(sql.text, sorted).to.match(/INDEXED BY "orders:plain:cancellationStatus:customerId:dateCreated/);
    }
  });
});
