import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { customerEvents } from '#events/customer.events.ts';
import type { CustomerSegment } from '#entities/customer-segment.entity.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { customerAccountsProjection } from '#projection/contexts/customers/customer-accounts.projection.ts';
import {
  customerListProjection,
  factsOfDocument,
  type CustomerDocument,
} from '#projection/contexts/customers/customer-list.projection.ts';
import { segmentMembersProjection } from '#projection/contexts/customers/segment-members.projection.ts';
import { createSegmentCounter } from '#projection/contexts/customers/segment-counter.ts';
import { createReader } from '#projection/engine/reader.ts';
import { noSales } from '#values/customer-figures.ts';
import { streamOf } from '#values/stream-name.ts';
import { ada, registered, saleRecorded } from '#test/support/builders/customer.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { givenStream } from '#test/support/given.ts';
import { storedViews } from '#test/support/stored-views.ts';

const {
  CustomerCreditClaimed,
  CustomerOutstandingChanged,
  CustomerChanged,
  CustomerDeleted,
  CustomerSegmentJoined,
  CustomerSegmentLeft,
} = customerEvents.create;
const id = idNamed('ada');
const at = '2026-03-01T10:00:00.000Z';
const friends = idNamed('friends');
const customer = (...events: readonly DomainEvent[]) => givenStream(streamOf.customer(id), ...events);

describe('what a customer owes, as it is read', () => {
  const owed = (outstanding: number, openInvoices: number) => ({
    ...{ outstanding, openInvoices, hasAccountTerms: true, creditLimit: 9000, at },
  });

  it('follows each invoice to the end, by its due day', () => {
    const claimed = CustomerCreditClaimed({
      ...{ invoiceId: idNamed('one'), amount: 3000, dueDay: '2026-03-31' },
      ...owed(3000, 1),
    });
    const changed = (name: string, amountBefore: number, amount: number, total: number, open: number) =>
      CustomerOutstandingChanged({
        ...{ invoiceId: idNamed(name), amount, amountBefore, dueDay: '2026-03-31', asOf: 4 },
        ...owed(total, open),
      });
    const both = [claimed, changed('two', 0, 500, 3500, 2), changed('one', 3000, 1000, 1500, 2)];
    customer(...both)
      .project(customerAccountsProjection)
      .then({
        ...{ outstanding: 1500, openInvoices: 2, creditLimit: 9000 },
        byDay: { '2026-03-31': { amount: 1500, invoices: 2 } },
      });
    customer(...both, changed('one', 1000, 0, 500, 1), changed('two', 500, 0, 0, 0))
      .project(customerAccountsProjection)
      .then({
        ...{ outstanding: 0, openInvoices: 0, byDay: {} },
      });
  });

  it('counts the invoices in logs that did not record how many there are', () => {
    const claimed = (name: string, outstanding: number) =>
      CustomerCreditClaimed({ invoiceId: idNamed(name), amount: 3000, outstanding, at });
    const changed = (amount: number, outstanding: number) =>
      CustomerOutstandingChanged({ invoiceId: idNamed('one'), amount, outstanding, asOf: 4, at });
    const two = [claimed('one', 3000), claimed('two', 6000)];
    customer(...two)
      .project(customerAccountsProjection)
      .then({ outstanding: 6000, openInvoices: 2 });
    customer(...two, changed(1000, 4000))
      .project(customerAccountsProjection)
      .then({ outstanding: 4000, openInvoices: 2 });
    customer(...two, changed(0, 3000))
      .project(customerAccountsProjection)
      .then({ outstanding: 3000, openInvoices: 1 });
  });
});

describe('the list of customers', () => {
  it('keeps what is known, the figures and the manual segments', () => {
    const sale = (placedAt: string, countryCode: string, total = 1000) =>
      saleRecorded({
        invoiceId: idNamed(placedAt),
        businessDay: placedAt.slice(0, 10),
        total,
        placedAt,
        countryCode,
      });
    customer(
      registered({}, at),
      CustomerChanged({ ...ada, tags: ['VIP'], tagsGained: ['VIP'], tagsLost: [], at }),
      // The later invoice was paid first.
      sale('2026-03-04T00:00:00.000Z', 'FR'),
      sale('2026-03-02T00:00:00.000Z', 'GB', 2500),
      CustomerSegmentJoined({ segmentId: friends, notes: null, at }),
      CustomerSegmentJoined({ segmentId: idNamed('press'), notes: null, at }),
      CustomerSegmentLeft({ segmentId: idNamed('press'), at }),
    )
      .project(customerListProjection)
      .then({
        fields: { ...ada, tags: ['VIP'] },
        tagKeys: ['vip'],
        searchText: 'ada lovelace ada@example.com vip',
        orderCount: 2,
        totalSpend: 3500,
        firstOrderAt: '2026-03-02T00:00:00.000Z',
        lastOrderAt: '2026-03-04T00:00:00.000Z',
        countryCode: 'FR',
        segmentIds: [friends],
      });
  });

  it('shows nothing of a forgotten customer', () => {
    const forgotten = { email: null, firstName: null, lastName: null };
    customer(registered({ ...forgotten, tags: ['VIP'] }, at))
      .project(customerListProjection)
      .then({
        searchText: 'vip',
        fields: { ...ada, ...forgotten, tags: ['VIP'] },
      });
  });

  it('drops a deleted customer and their memberships', () => {
    const joined = CustomerSegmentJoined({ segmentId: friends, notes: 'met in May', at });
    const deleted = CustomerDeleted({ email: null, segmentIds: [friends], tagsLost: [], at });
    customer(registered(), joined, deleted).project(customerListProjection).thenNothing();
    customer(registered(), joined)
      .project(segmentMembersProjection, `${friends}-${id}`)
      .then({ segmentId: friends, customerId: id, dateAdded: at, notes: 'met in May' });
    customer(registered(), joined, deleted)
      .project(segmentMembersProjection, `${friends}-${id}`)
      .thenNothing();
  });
});

describe('counting who is in a segment', () => {
  const segment = (changes: Partial<CustomerSegment> = {}): CustomerSegment => ({
    name: 'Buyers',
    description: null,
    segmentType: 'Automated',
    criteria: [{ field: 'OrderCount', operator: 'GreaterThan', value: 1, value2: null }],
    matchMode: 'All',
    isActive: true,
    isSystemSegment: false,
    ...changes,
  });

  /** Customers of whom the n-th has n orders of 1.00 each; every third is a friend. */
  const openViews = async (count: number) => {
    const readStore = createMemoryDocumentStore();
    await readStore.declare('customers', customerListProjection.indexes);
    await readStore.declare('segment-members', segmentMembersProjection.indexes);
    const customers = Array.from({ length: count }, (_, n): CustomerDocument => ({
      _id: idNamed(`customer ${n}`),
      fields: ada,
      dateCreated: at,
      dateUpdated: at,
      registeredAt: at,
      segmentIds: n % 3 === 0 ? [friends] : [],
      tagKeys: [],
      searchText: '',
      ...noSales,
      orderCount: n,
      totalSpend: n * 100,
    }));
    await readStore.write(customers.map((put) => ({ collection: 'customers', put })));
    const members = customers.filter((_, n) => n % 3 === 0);
    await readStore.write(
      members.map(({ _id: customerId }) => ({
        collection: 'segment-members',
        put: {
          _id: `${friends}-${customerId}`,
          segmentId: friends,
          customerId,
          dateAdded: at,
          notes: null,
        },
      })),
    );
    let finds = 0;
    const reader = createReader({ readStore, engine: storedViews((view) => view) });
    const views = {
      getMany: reader.getMany,
      find: ((...question: Parameters<typeof reader.find>) => {
        finds++;
        return reader.find(...question);
      }) as typeof reader.find,
    };
    const clock = { time: Date.parse(at), now: () => clock.time };
    return { counter: createSegmentCounter(views, clock), clock, finds: () => finds };
  };

  const buyers = { id: idNamed('buyers'), fields: segment() };
  const manual = { id: friends, fields: segment({ segmentType: 'Manual', criteria: [] }) };
  const closed = { id: idNamed('closed'), fields: segment({ isActive: false }) };

  it('reads all customers once for all segments of a list', async () => {
    const { counter, finds } = await openViews(1100);
    const [bought, friendly, none] = await counter.counters([buyers, manual, closed]);
    const orders = (1099 * 1100) / 2;
    expect(bought).to.deep.equal({
      members: 1098,
      active: 1098,
      orders: orders - 1,
      revenue: (orders - 1) * 100,
    });
    expect(friendly).to.include({ members: 367, active: 366 });
    expect(none).to.include({ members: 0 });
    // Three pages of customers, one of members.
    expect(finds()).to.equal(4);
  });

  it('reuses a recent count, unless it is older than the caller’s own change', async () => {
    const { counter, clock, finds } = await openViews(10);
    await counter.counters([buyers], 5);
    await counter.counters([buyers], 5);
    expect(finds()).to.equal(1);
    await counter.counters([buyers], 6);
    expect(finds()).to.equal(2);
    await counter.counters([{ ...buyers, fields: segment({ matchMode: 'Any' }) }], 6);
    expect(finds()).to.equal(3);
    clock.time += 10_000;
    await counter.counters([buyers], 0);
    expect(finds()).to.equal(4);
  });

  it('shows them page by page', async () => {
    const { counter } = await openViews(1100);
    const shown = await counter.page(buyers, { page: 3, pageSize: 400 });
    expect(shown.totalItems).to.equal(1098);
    expect(shown.customers).to.have.length(298);
    expect(factsOfDocument(shown.customers[0] as CustomerDocument).orderCount).to.be.above(1);
  });

  it('refuses more requests than can wait', async () => {
    const { counter } = await openViews(10);
    const ask = () => counter.page(buyers, { page: 1, pageSize: 1 });
    const outcomes = await Promise.allSettled(Array.from({ length: 25 }, ask));
    expect(outcomes.filter(({ status }) => status === 'rejected')).to.have.length(5);
    expect((await ask()).totalItems).to.equal(8);
  });
});
