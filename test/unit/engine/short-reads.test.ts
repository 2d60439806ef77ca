import { expect } from 'chai';
import { isShortFind, SHORT_READ } from '#adapters/sqlite/short-reads.ts';
import { checkFind } from '#ports/document-rules.ts';
import type { FindOptions } from '#ports/document-store.ts';

const indexes = [
  { fields: ['dateCreated'] },
  { fields: ['status', 'dateCreated'] },
  { fields: ['customerId'] },
];
const isShort = (options: FindOptions): boolean => isShortFind(indexes, checkFind(options), SHORT_READ);

describe('A find that looks at no more documents than it answers', () => {
  const page = { limit: 50 };

  it('is one in the order of an index, with its first fields fixed', () => {
    const short: readonly FindOptions[] = [
      { ...page },
      { ...page, filter: { _id: { gt: 'a', lte: 'b' } } },
      { ...page, sort: [['dateCreated', -1]] },
      {
        ...page,
        skip: 150,
        sort: [
          ['dateCreated', 1],
          ['_id', 1],
        ],
      },
      { ...page, filter: { status: 'active' }, sort: [['dateCreated', -1]] },
      {
        ...page,
        filter: { status: { in: ['active'] }, dateCreated: { lt: '2026' } },
        sort: [['dateCreated', 1]],
      },
      { ...page, filter: { status: 'active', dateCreated: '2026' } },
      { ...page, filter: { customerId: 'ada' } },
      { ...page, filter: { _id: 'a' }, sort: [['total', 1]] },
      { ...page, filter: { total: { in: [] } }, skip: SHORT_READ, sort: [['total', 1]] },
    ];
    for (const options of short) expect(isShort(options), JSON.stringify(options)).to.equal(true);
  });

  it('is not one that skips, sorts, pages far or returns many', () => {
    const long: readonly FindOptions[] = [
      {},
      { ...page, skip: SHORT_READ },
      { ...page, filter: { searchText: { contains: 'x' } }, sort: [['dateCreated', -1]] },
      { ...page, filter: { customerId: 'ada' }, sort: [['dateCreated', -1]] },
      { ...page, filter: { customerId: 'ada', status: 'active' } },
      { ...page, filter: { status: { in: ['active', 'cancelled'] } }, sort: [['dateCreated', -1]] },
      { ...page, filter: { status: 'active' }, sort: [['customerId', 1]] },
      { ...page, filter: { dateCreated: { gt: '2026' } } },
      { ...page, filter: { dateCreated: { gt: '2026', contains: 'x' } }, sort: [['dateCreated', 1]] },
      { ...page, filter: { _id: { gte: '' }, status: 'active' } },
      {
        ...page,
        sort: [
          ['status', 1],
          ['dateCreated', -1],
        ],
      },
      { ...page, sort: [['total', 1]] },
    ];
    for (const options of long) expect(isShort(options), JSON.stringify(options)).to.equal(false);
  });
});
