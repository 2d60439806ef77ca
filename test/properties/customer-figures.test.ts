import { expect } from 'chai';
import fc from 'fast-check';
import type { CustomerCommand } from '#command/contexts/customers/customer.commands.ts';
import { customerDecider } from '#command/contexts/customers/customer.decider.ts';
import { factsOf } from '#command/contexts/customers/customer.state.ts';
import type { DomainEvent } from '#kernel/event.ts';
import {
  customerListProjection,
  factsOfDocument,
} from '#projection/contexts/customers/customer-list.projection.ts';
import { streamOf } from '#values/stream-name.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { registered, saleRecorded } from '#test/support/builders/customer.ts';
import { given, givenStream, inContext } from '#test/support/given.ts';

const at = '2026-03-01T08:00:00.000Z';
const rules = inContext(customerDecider, {
  at,
  timeZone: 'UTC',
  unpaidInvoices: 0,
  isSegment: () => true,
});

interface ListedSale {
  readonly invoiceId: string;
  readonly placedAt: string;
  readonly countryCode: string;
  total: number;
  edits: number;
}

/** What is asked of the customer's stream, beside a list of the sales that stand, in the order of confirmation. */
class ListedCustomer {
  list: ListedSale[] = [];
  readonly commands: CustomerCommand[] = [];
  #sold = 0;

  buy(sale: Pick<ListedSale, 'placedAt' | 'countryCode' | 'total'>): void {
    const invoiceId = idNamed(`sale ${this.#sold++}`);
    this.list.push({ ...sale, invoiceId, edits: 0 });
    const businessDay = businessDayOf(sale.placedAt);
    this.commands.push({
      ...{ type: 'RecordCustomerSale', invoiceId, businessDay, sourceType: 'web', ...sale },
    });
  }

  cancel(place: number): void {
    const sale = this.list[place % Math.max(1, this.list.length)];
    if (!sale) return;
    this.list = this.list.filter((other) => other !== sale);
    this.commands.push({ type: 'CancelCustomerSale', invoiceId: sale.invoiceId });
  }

  edit(place: number, total: number): void {
    const sale = this.list[place % Math.max(1, this.list.length)];
    if (!sale) return;
    sale.total = total;
    const { invoiceId } = sale;
    this.commands.push({ type: 'ChangeCustomerSale', invoiceId, version: ++sale.edits, total });
  }
}

/** The figures, each looked for by itself. */
const figuresIn = (list: readonly ListedSale[]) => {
  const instants = list.map(({ placedAt }) => placedAt).sort();
  const [firstOrderAt = null] = instants;
  const lastOrderAt = instants.at(-1) ?? null;
  return {
    orderCount: list.length,
    totalSpend: list.reduce((sum, { total }) => sum + total, 0),
    firstOrderAt,
    lastOrderAt,
    // Of two that were made at the same time, the one that was confirmed last.
    countryCode: list.findLast(({ placedAt }) => placedAt === lastOrderAt)?.countryCode ?? null,
  };
};

const HOUR = 3_600_000;
const sale = fc.record({
  placedAt: fc.nat(15).map((place) => new Date(Date.UTC(2026, 2, 8, 6) + place * (HOUR / 2)).toISOString()),
  countryCode: fc.constantFrom('GB', 'FR', 'US'),
  total: fc.nat(10_000),
});

/** The shop moves across the date line. */
const businessDayOf = (placedAt: string): string => {
  const ahead = placedAt < '2026-03-08T11' ? 14 : -12;
  return new Date(Date.parse(placedAt) + ahead * HOUR).toISOString().slice(0, 10);
};

type Step = (customer: ListedCustomer) => void;
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: sale.map(
        (sold): Step =>
          (customer) =>
            customer.buy(sold),
      ),
    },
    fc.nat(30).map(
      (place): Step =>
        (customer) =>
          customer.cancel(place),
    ),
    fc.tuple(fc.nat(30), fc.nat(10_000)).map(
      ([place, total]): Step =>
        (customer) =>
          customer.edit(place, total),
    ),
  ),
  { maxLength: 20 },
);

const documentOf = (history: readonly DomainEvent[]) => {
  const { document } = givenStream(streamOf.customer(idNamed('ada')), ...history).project(
    customerListProjection,
  );
  return document ?? expect.fail('the customer is not listed');
};

describe('the figures of a customer', () => {
  it('are those of the sales that stand, in the list as in segments, however sales are confirmed, edited and cancelled', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const customer = new ListedCustomer();
        for (const one of all) one(customer);
        const asked = given(rules, [registered({}, at)]).after(...customer.commands);
        const document = documentOf(asked.history);
        const figures = figuresIn(customer.list);
        expect(document).to.deep.include(figures);
        expect(factsOf(asked.state())).to.deep.include(figures);
        expect(factsOfDocument(document)).to.deep.include(figures);
      }),
      { numRuns: 150 },
    );
  });

  it('stay exact when one of hundreds of sales is cancelled or edited, the first or the last one', () => {
    const day = (place: number): string =>
      new Date(Date.parse('2020-01-01T08:00:00.000Z') + place * 86_400_000).toISOString();
    const invoiceId = (place: number): string => idNamed(`sale ${place}`);
    const sales = Array.from({ length: 500 }, (_, place) =>
      saleRecorded({
        ...{ invoiceId: invoiceId(place), businessDay: day(place).slice(0, 10) },
        ...{ total: 100, placedAt: day(place), countryCode: place === 498 ? 'FR' : 'GB' },
      }),
    );
    const { history } = given(rules, [registered({}, at), ...sales]).after(
      { type: 'CancelCustomerSale', invoiceId: invoiceId(0) },
      { type: 'ChangeCustomerSale', invoiceId: invoiceId(1), version: 1, total: 250 },
      { type: 'CancelCustomerSale', invoiceId: invoiceId(499) },
    );
    const figures = { firstOrderAt: day(1), lastOrderAt: day(498), countryCode: 'FR', totalSpend: 49_950 };
    expect(documentOf(history)).to.deep.include({ orderCount: 498, ...figures });
  });
});
