import { expect } from 'chai';
import type { CustomerCommand } from '#command/contexts/customers/customer.commands.ts';
import { customerDecider } from '#command/contexts/customers/customer.decider.ts';
import { factsOf } from '#command/contexts/customers/customer.state.ts';
import { customerEvents } from '#events/customer.events.ts';
import type { SourceType } from '#events/invoice.fields.ts';
import { ada, registered, saleRecorded } from '#test/support/builders/customer.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { given, inContext } from '#test/support/given.ts';

const {
  CustomerAcceptedMarketing,
  CustomerChanged,
  CustomerDeleted,
  CustomerSegmentJoined,
  CustomerSegmentLeft,
} = customerEvents.create;

const at = '2026-03-01T10:00:00.000Z';
const { email, firstName, lastName } = ada;
const person = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace', acceptsMarketing: false };
const register = (changes: Partial<typeof person> = {}): CustomerCommand => ({
  type: 'RegisterCustomer',
  ...person,
  ...changes,
});
const placedAt = '2026-03-01T08:00:00.000Z';
const sale = (name: string, businessDay: string, sourceType: SourceType = 'web'): CustomerCommand => ({
  type: 'RecordCustomerSale',
  invoiceId: idNamed(name),
  businessDay,
  sourceType,
  total: 4200,
  placedAt,
  countryCode: 'GB',
});
interface DaysAround {
  readonly before?: string;
  readonly after?: string;
  /** There is one on the same day. */
  readonly isAnother?: true;
  /** Of all that were recorded before. */
  readonly first?: string;
}

const recorded = (
  name: string,
  businessDay: string,
  { before, after, isAnother, first = before }: DaysAround = {},
) =>
  saleRecorded({
    invoiceId: idNamed(name),
    businessDay,
    isFirstOfDay: isAnother !== true,
    previousSaleDay: before ?? null,
    nextSaleDay: after ?? null,
    total: 4200,
    placedAt,
    countryCode: 'GB',
    firstSaleDays: first === undefined ? {} : { web: first },
  });
const joined = (name: string) => CustomerSegmentJoined({ segmentId: idNamed(name), notes: null, at });
const givenUp = { type: 'CreationAbandoned', data: {} } as const;

interface Surroundings {
  readonly unpaidInvoices?: number;
  readonly isSegment?: (id: string) => boolean;
}

const rulesIn = ({ unpaidInvoices = 0, isSegment = () => true }: Surroundings = {}) =>
  inContext(customerDecider, { at, timeZone: 'UTC', unpaidInvoices, isSegment });
const rules = rulesIn();
const none = given(rules);
const customer = given(rules, [registered()]);

describe('a customer', () => {
  it('is registered once', () => {
    none.when(register()).then([registered({}, at)]);
    customer.when(register({ lastName: 'King' })).thenNothing();
  });

  it('can agree to marketing later, and does not take it back by leaving it out', () => {
    const accepted = CustomerAcceptedMarketing({ email, firstName, lastName, at });
    customer.when(register({ acceptsMarketing: true })).then([accepted]);
    const agreed = [registered(), accepted];
    given(rules, agreed)
      .when(register({ acceptsMarketing: true }))
      .thenNothing();
    given(rules, agreed).when(register()).thenNothing();
  });

  it('is created by staff with all fields, once', () => {
    const fields = { ...ada, tags: ['VIP'], creditLimit: 5000 };
    none.when({ type: 'CreateCustomer', fields }).then([registered(fields, at)]);
    given(rules, [registered(fields)])
      .when({ type: 'CreateCustomer', fields })
      .thenNothing();
    customer.when({ type: 'CreateCustomer', fields }).thenRefused('already-exists');
  });

  it('is changed in the given fields, and says which tags were added and removed', () => {
    const known = [registered({ tags: ['new', 'VIP'] })];
    const changes = { tags: ['VIP', 'trade'], isFlagged: true };
    given(rules, known)
      .when({ type: 'ChangeCustomer', changes })
      .then([CustomerChanged({ ...ada, ...changes, tagsGained: ['trade'], tagsLost: ['new'], at })]);
    given(rules, known)
      .when({ type: 'ChangeCustomer', changes: { tags: ['new', 'VIP'] } })
      .thenNothing();
    none.when({ type: 'ChangeCustomer', changes }).thenRefused('entity-not-found');
  });

  it('does not get an e-mail address that was released after it was claimed', () => {
    const changes = { email: 'king@example.com' };
    customer
      .happened(givenUp)
      .when({ type: 'ChangeCustomer', changes, givenUpBefore: 0 })
      .thenRefused('conflict');
    given(rules, [givenUp]).when(register()).thenRefused('conflict');
    customer.when({ type: 'GiveUpEmail', email: 'king@example.com' }).then([givenUp]);
    customer.when({ type: 'GiveUpEmail', email: 'ada@example.com' }).thenNothing();
  });

  it('with another e-mail address by now is not the one who registers', () => {
    given(rules, [registered({ email: 'king@example.com' })])
      .when(register())
      .thenRefused('conflict');
    given(rules, [registered({ email: null })])
      .when(register())
      .thenNothing();
  });

  it('is deleted with tags and segments, but not while they have invoices', () => {
    const known = [registered({ tags: ['VIP'] }), joined('friends')];
    given(rules, known)
      .when({ type: 'DeleteCustomer' })
      .thenLike(['CustomerDeleted', { email, segmentIds: [idNamed('friends')], tagsLost: ['VIP'], at }]);
    given(rulesIn({ unpaidInvoices: 1 }), known)
      .when({ type: 'DeleteCustomer' })
      .thenRefused('still-used');
    given(rules, [...known, recorded('first', '2026-03-01')])
      .when({ type: 'DeleteCustomer' })
      .thenRefused('still-used');
    const deleted = [...known, CustomerDeleted({ email, segmentIds: [], tagsLost: [], at })];
    given(rules, deleted).when({ type: 'DeleteCustomer' }).thenRefused('entity-not-found');
    given(rules, deleted).when(register()).thenRefused('conflict');
  });

  it('says once that the account is gone too, if there was or may have been one', () => {
    const note = { type: 'NoteAccountRemoved' } as const;
    const gone = customerEvents.create.CustomerAccountRemoved({});
    const data = { email, segmentIds: [], tagsLost: [], at };
    given(rules, [registered({ memberKey: idNamed('account') })])
      .when({ type: 'DeleteCustomer' })
      .then([CustomerDeleted({ ...data, hasAccount: true })]);
    customer.when({ type: 'DeleteCustomer' }).then([CustomerDeleted({ ...data, hasAccount: false })]);
    // An older release did not say.
    for (const said of [{ hasAccount: true }, {}]) {
      const deleted = [registered(), CustomerDeleted({ ...data, ...said })];
      given(rules, deleted).when(note).then([gone]);
      given(rules, [...deleted, gone])
        .when(note)
        .thenNothing();
    }
    customer
      .happened(CustomerDeleted({ ...data, hasAccount: false }))
      .when(note)
      .thenNothing();
    customer.when(note).thenNothing();
  });

  it('cannot be deleted after an invoice expired unpaid, and remembers only the first one', () => {
    const expired = customerEvents.create.CustomerInvoiceExpired({ invoiceId: idNamed('first') });
    const note = (name: string): CustomerCommand => ({
      type: 'NoteExpiredInvoice',
      invoiceId: idNamed(name),
    });
    customer.when(note('first')).then([expired]);
    customer.happened(expired).when(note('second')).thenNothing();
    customer.happened(recorded('sold', '2026-03-01')).when(note('first')).thenNothing();
    none.when(note('first')).thenNothing();
    customer.happened(expired).when({ type: 'DeleteCustomer' }).thenRefused('still-used');
  });

  it('who was deleted while paying keeps the sale, so that it can be announced', () => {
    const deleted = [registered(), CustomerDeleted({ email, segmentIds: [], tagsLost: [], at })];
    given(rules, deleted)
      .when(sale('first', '2026-03-01'))
      .then([recorded('first', '2026-03-01')]);
    given(rules, [...deleted, recorded('first', '2026-03-01')])
      .when(sale('first', '2026-03-01'))
      .thenNothing();
  });

  it('joins a manual segment once, and leaves it once', () => {
    const segmentId = idNamed('friends');
    const join = { type: 'JoinSegment', segmentId, notes: null } as const;
    customer.when(join).then([joined('friends')]);
    const member = [registered(), joined('friends')];
    given(rules, member).when(join).thenNothing();
    given(rules, member)
      .when({ type: 'LeaveSegment', segmentId })
      .then([CustomerSegmentLeft({ segmentId, at })]);
    customer.when({ type: 'LeaveSegment', segmentId }).thenNothing();
    none.when(join).thenRefused('entity-not-found');
  });

  it('is in at most 200 manual segments, not counting deleted ones', () => {
    const many = [registered(), ...Array.from({ length: 200 }, (_, index) => joined(`segment ${index}`))];
    const join = { type: 'JoinSegment', segmentId: idNamed('one more'), notes: null } as const;
    given(rules, many).when(join).thenRefused('invalid-request');
    given(rulesIn({ isSegment: (id) => id !== idNamed('segment 0') }), many)
      .when(join)
      .then([joined('one more')]);
  });
});

describe('the sales of a customer', () => {
  it('are remembered once each, with the day of the one before', () => {
    const known = [registered()];
    given(rules, known)
      .when(sale('first', '2026-03-01'))
      .then([recorded('first', '2026-03-01')]);
    const bought = [...known, recorded('first', '2026-03-01')];
    given(rules, bought).when(sale('first', '2026-03-01')).thenNothing();
    given(rules, bought)
      .when(sale('second', '2026-03-04'))
      .then([recorded('second', '2026-03-04', { before: '2026-03-01' })]);
  });

  it('come in whatever order they are paid, each between the days before and after it', () => {
    const bought = [registered(), recorded('new', '2026-03-04'), recorded('old', '2026-03-01')];
    given(rules, bought)
      .when(sale('between', '2026-03-02'))
      .then([recorded('between', '2026-03-02', { before: '2026-03-01', after: '2026-03-04' })]);
    given(rules, bought)
      .when(sale('first', '2026-02-01'))
      .then([recorded('first', '2026-02-01', { after: '2026-03-01', first: '2026-03-01' })]);
    given(rules, bought)
      .when(sale('again', '2026-03-01'))
      .then([recorded('again', '2026-03-01', { after: '2026-03-04', isAnother: true, first: '2026-03-01' })]);
    given(rules, bought)
      .when(sale('next', '2026-03-05'))
      .then([recorded('next', '2026-03-05', { before: '2026-03-04', first: '2026-03-01' })]);
  });

  it('leave the days around them to each other when the last one of a day is cancelled', () => {
    const cancel = { type: 'CancelCustomerSale', invoiceId: idNamed('second') } as const;
    const around = { businessDay: '2026-03-02', previousSaleDay: '2026-03-01' };
    const bought = given(rules, [
      registered(),
      recorded('third', '2026-03-03'),
      recorded('second', '2026-03-02'),
      recorded('first', '2026-03-01'),
    ]);
    bought
      .when(cancel)
      .thenLike(['CustomerSaleCancelled', { ...around, wasOnlyOfDay: true, nextSaleDay: '2026-03-03' }]);
    bought
      .happened(recorded('another', '2026-03-02', { isAnother: true }))
      .when(cancel)
      .thenLike(['CustomerSaleCancelled', { ...around, wasOnlyOfDay: false, nextSaleDay: null }]);
  });

  it('are told with those of the same source, and with the first of each source', () => {
    const known = given(rules, [registered()]).after(
      sale('in the shop', '2026-03-02', 'pos'),
      sale('by an agent', '2026-03-04', 'api'),
      sale('in the shop again', '2026-03-06', 'pos'),
    );
    const firstSaleDays = { pos: '2026-03-02', api: '2026-03-04' };
    known.when(sale('late', '2026-03-05', 'pos')).thenLike([
      'CustomerSaleRecorded',
      {
        ...{ sourceType: 'pos', previousSaleDay: '2026-03-04', nextSaleDay: '2026-03-06', firstSaleDays },
        ofSource: { isFirstOfDay: true, previousSaleDay: '2026-03-02', nextSaleDay: '2026-03-06' },
      },
    ]);
    known.when(sale('online', '2026-03-04')).thenLike([
      'CustomerSaleRecorded',
      {
        ...{ isFirstOfDay: false, previousSaleDay: '2026-03-02', nextSaleDay: '2026-03-06', firstSaleDays },
        ofSource: { isFirstOfDay: true, previousSaleDay: null, nextSaleDay: null },
      },
    ]);
    known.when({ type: 'CancelCustomerSale', invoiceId: idNamed('in the shop') }).thenLike([
      'CustomerSaleCancelled',
      {
        ...{ sourceType: 'pos', previousSaleDay: null, wasOnlyOfDay: true, nextSaleDay: '2026-03-04' },
        firstSaleDays: { pos: '2026-03-06', api: '2026-03-04' },
        ofSource: { previousSaleDay: null, wasOnlyOfDay: true, nextSaleDay: '2026-03-06' },
      },
    ]);
  });

  it('are remembered for good, so that the oldest one can be taken back', () => {
    const sales = Array.from({ length: 600 }, (_, index) => recorded(`sale ${index}`, '2026-03-01'));
    const bought = given(rules, [registered(), ...sales]);
    expect(factsOf(bought.state())).to.deep.include({ orderCount: 600, totalSpend: 600 * 4200 });
    bought.when(sale('sale 0', '2026-03-01')).thenNothing();
    const cancel = { type: 'CancelCustomerSale', invoiceId: idNamed('sale 0') } as const;
    const left = { orderCount: 599, totalSpend: 599 * 4200 };
    expect(factsOf(bought.after(cancel).state())).to.deep.include(left);
    bought.after(cancel).when(cancel).thenNothing();
  });

  it('need a customer', () => {
    none.when(sale('first', '2026-03-01')).thenRefused('customer-not-found');
  });
});
