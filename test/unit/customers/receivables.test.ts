import { expect } from 'chai';
import { customerEvents } from '#events/customer.events.ts';
import {
  receivablesAfter,
  receivablesProjection,
  type ReceivablesDay,
} from '#projection/contexts/customers/receivables.projection.ts';
import { streamOf } from '#values/stream-name.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { givenEvents, type GivenEvent } from '#test/support/given.ts';

const { CustomerCreditClaimed, CustomerOutstandingChanged } = customerEvents.create;
const owed = { outstanding: 0, openInvoices: 1, hasAccountTerms: true, creditLimit: null };

const at = (recordedAt: string, event: GivenEvent): GivenEvent => ({
  ...event,
  stream: streamOf.customer(idNamed('ada')),
  recordedAt,
});
const claimed = (name: string, amount: number, dueDay: string | null) =>
  CustomerCreditClaimed({
    ...{ invoiceId: idNamed(name), amount, dueDay, ...owed },
    at: '2026-03-01T09:00:00.000Z',
  });
const changed = (name: string, amountBefore: number, amount: number, dueDay: string | null) =>
  CustomerOutstandingChanged({
    ...{ invoiceId: idNamed(name), amount, amountBefore, dueDay, asOf: 1, ...owed },
    at: '2026-03-01T09:00:00.000Z',
  });

const history = [
  at('2026-03-01T09:00:00.000Z', claimed('one', 3000, '2026-03-31')),
  at('2026-03-01T23:59:59.999Z', changed('two', 0, 500, '2026-03-31')),
  at('2026-03-01T23:59:59.999Z', changed('manual', 0, 700, null)),
  at('2026-03-02T00:00:00.000Z', changed('one', 3000, 1000, '2026-03-31')),
  at('2026-04-05T10:00:00.000Z', changed('one', 1000, 0, '2026-03-31')),
];
const day = (name: string): ReceivablesDay => {
  const { document } = givenEvents(...history).project(receivablesProjection, name);
  if (document === null) return expect.fail(`nothing was recorded on ${name}`);
  return document;
};

// docs/rules/orders.md#statistics
describe('receivables', () => {
  it('are kept as what each recorded day added to each due day', () => {
    expect(day('2026-03-01').byDueDay).to.deep.equal({
      '2026-03-31': { amount: 3500, invoices: 2 },
      none: { amount: 700, invoices: 1 },
    });
    expect(day('2026-03-02').byDueDay).to.deep.equal({ '2026-03-31': { amount: -2000, invoices: 0 } });
    expect(day('2026-04-05').byDueDay).to.deep.equal({ '2026-03-31': { amount: -1000, invoices: -1 } });
  });

  it('come to what was owed at the end of any day', () => {
    const [first, second, third] = [day('2026-03-01'), day('2026-03-02'), day('2026-04-05')];
    expect(receivablesAfter('2026-03-01', [])).to.deep.equal({ count: 0, value: 0, overdue: 0 });
    expect(receivablesAfter('2026-03-01', [first])).to.deep.equal({ count: 3, value: 4200, overdue: 0 });
    expect(receivablesAfter('2026-03-31', [first, second])).to.deep.equal({
      ...{ count: 3, value: 2200, overdue: 0 },
    });
    expect(receivablesAfter('2026-04-01', [first, second])).to.deep.equal({
      ...{ count: 3, value: 2200, overdue: 2 },
    });
    expect(receivablesAfter('2026-04-05', [first, second, third])).to.deep.equal({
      ...{ count: 2, value: 1200, overdue: 1 },
    });
  });

  it('hold nothing of a day that comes to nothing', () => {
    const { document } = givenEvents(
      at('2026-03-01T09:00:00.000Z', claimed('one', 3000, '2026-03-31')),
      at('2026-03-01T10:00:00.000Z', changed('one', 3000, 0, '2026-03-31')),
    ).project(receivablesProjection, '2026-03-01');
    expect(document).to.deep.equal({ _id: '2026-03-01', byDueDay: {} });
  });
});
