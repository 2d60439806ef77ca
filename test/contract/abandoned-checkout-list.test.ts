import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { openMongoDocumentStore } from '#adapters/mongodb/mongo-document-store.ts';
import { openSqliteDocumentStore } from '#adapters/sqlite/sqlite-document-store.ts';
import { abandonedCheckoutListQuery } from '#contracts/abandoned-checkouts.contract.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import {
  listed,
  type AbandonedCheckoutDocument,
} from '#projection/contexts/abandoned-checkouts/abandoned-checkout.document.ts';
import { abandonedCheckoutsProjection } from '#projection/contexts/abandoned-checkouts/abandoned-checkouts.projection.ts';
import { checkoutFilter } from '#projection/contexts/abandoned-checkouts/abandoned-checkouts.queries.ts';
import { addressOf } from '#test/support/builders/invoice.ts';
import { onRealEngine } from '#test/support/real-engine.ts';
import { checkoutStatuses } from '#values/abandoned-checkout.ts';

const collection = 'abandonedCheckouts_v1_contract';
const names = ['Ada Lovelace', 'Bob Marsh', 'Cleo Ode'] as const;
const MANY = 60;

const instant = (day: number, hour: number): string => new Date(Date.UTC(2026, 0, day, hour)).toISOString();

const checkout = (place: number): AbandonedCheckoutDocument => {
  const name = names[place % names.length] ?? names[0];
  const opened = instant(1 + (place % 28), 9);
  return listed({
    _id: `checkout-${String(place).padStart(3, '0')}`,
    basketId: null,
    customerId: null,
    email: `${name.split(' ')[0] ?? ''}${place % 7}@Example.com`,
    billingAddress: addressOf(name),
    shippingAddress: null,
    status: checkoutStatuses[place % checkoutStatuses.length] ?? 'Active',
    dateCreated: opened,
    lastActivityAt: instant(1 + ((place * 5) % 28), 11),
    abandonedAt: place % 3 === 0 ? null : instant(1 + (place % 28), 10 + (place % 4)),
    recoveredAt: null,
    convertedAt: null,
    expiredAt: null,
    invoiceId: null,
    link: null,
    mailsSent: 0,
    lastMailAt: null,
    total: (place * 37) % 11,
    lineCount: 1,
    displayCurrency: 'GBP',
    figures: null,
    left: null,
  });
};

const all = Array.from({ length: MANY }, (_, place) => checkout(place));
const sortedBy = {
  DateAbandoned: ({ abandonedAt, dateCreated }: AbandonedCheckoutDocument) => abandonedAt ?? dateCreated,
  LastActivity: ({ lastActivityAt }: AbandonedCheckoutDocument) => lastActivityAt,
  Total: ({ total }: AbandonedCheckoutDocument) => total,
  Email: ({ email }: AbandonedCheckoutDocument) => email?.toLowerCase() ?? '',
} as const;
const fieldOf = {
  DateAbandoned: 'sortedAt',
  LastActivity: 'lastActivityAt',
  Total: 'total',
  Email: 'emailKey',
} as const;

type Asked = Readonly<Record<string, string>>;

const isAsked =
  ({ status, search = '', fromDate = '', toDate = '9999' }: Asked) =>
  (one: AbandonedCheckoutDocument): boolean =>
    (status === undefined || one.status === status) &&
    `${one.email ?? ''} ${one.billingAddress?.name ?? ''}`.toLowerCase().includes(search.toLowerCase()) &&
    one.dateCreated.slice(0, 10) >= fromDate &&
    one.dateCreated.slice(0, 10) <= toDate;

const filters: readonly Asked[] = [
  {},
  { status: 'Abandoned' },
  { search: 'LOVELACE' },
  { search: 'bob3@example.com', status: 'Converted' },
  { search: 'o' },
  { search: 'nobody' },
  { fromDate: '2026-01-05', toDate: '2026-01-09' },
  { toDate: '2026-01-03', status: 'Expired' },
  { fromDate: '2026-01-20', search: 'cleo' },
];

const contract = (
  name: string,
  open: () => Promise<DocumentStore>,
  dispose = (): void => undefined,
): void => {
  describe(`the list of abandoned checkouts: ${name}`, () => {
    let store: DocumentStore;
    before(async () => {
      store = await open();
      await store.declare(collection, abandonedCheckoutsProjection.indexes);
      await store.write(
        all.map((document, position) => ({
          collection,
          put: { ...document, _position: position } as AbandonedCheckoutDocument,
          position,
        })),
      );
    });
    after(async () => {
      await store.drop(collection);
      await store.close();
      dispose();
    });

    for (const asked of filters)
      for (const orderBy of Object.keys(sortedBy) as (keyof typeof sortedBy)[])
        it(`finds ${JSON.stringify(asked)} by ${orderBy}, from either end`, async () => {
          const query = abandonedCheckoutListQuery.parse({ ...asked, orderBy });
          const filter = checkoutFilter(query, 'UTC');
          const keyOf = sortedBy[orderBy];
          const wanted = all
            .filter(isAsked(asked))
            .map((one) => ({ id: one._id, key: keyOf(one) }))
            .toSorted((a, b) => (a.key === b.key ? (a.id < b.id ? -1 : 1) : a.key < b.key ? -1 : 1))
            .map(({ id }) => id);
          for (const direction of [1, -1] as const) {
            const sort = [
              [fieldOf[orderBy], direction],
              ['_id', direction],
            ] as const;
            const found = await store.find(collection, { filter, sort, limit: MANY });
            const expected = direction === 1 ? wanted : wanted.toReversed();
            expect(found.map(({ _id }) => _id)).to.deep.equal(expected);
          }
          expect(await store.count(collection, { _id: { gte: '' }, ...filter })).to.equal(wanted.length);
        });
  });
};

contract('memory', () => Promise.resolve(createMemoryDocumentStore()));

const folder = mkdtempSync(join(tmpdir(), 'tillroll-'));
contract(
  'SQLite',
  () => openSqliteDocumentStore({ file: join(folder, 'read.db') }),
  () => rmSync(folder, { recursive: true }),
);

onRealEngine('TEST_READ_STORE', (url) =>
  contract('MongoDB', () => openMongoDocumentStore({ url, database: 'tillroll_test_checkouts' })),
);
