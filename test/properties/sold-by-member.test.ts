import { expect } from 'chai';
import fc from 'fast-check';
import { invoiceEvents } from '#events/invoice.events.ts';
import type { InvoiceContent, SourceType } from '#events/invoice.fields.ts';
import { saleAsItStands } from '#events/sale-figures.ts';
import type { Dimension, MemberSums } from '#projection/contexts/reporting/sold-changes.ts';
import { closedBalance, invoiceBalance } from '#values/invoice-balance.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { invoice } from '#test/support/builders/invoice.ts';
import { rootOf, soldContent, soldOf, type SoldLine } from '#test/support/builders/sold.ts';
import type { GivenEvent } from '#test/support/given.ts';

const { InvoiceCancelled, InvoiceDeleted, InvoiceEdited, PaymentRefunded, RefundFailed, SaleConfirmed } =
  invoiceEvents.create;
const at = '2026-04-01T09:00:00.000Z';

interface Goods {
  /** The rule that took off what was taken off its lines; null where that was done by hand. */
  readonly rule: string | null;
  readonly lines: readonly SoldLine[];
  readonly shipping: number;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** A line of the list that the views are held against. */
interface ListedSale {
  readonly name: string;
  readonly day: string;
  readonly country: string;
  readonly customer: string;
  readonly source: SourceType;
  goods: Goods;
  returns: number;
  status: 'stands' | 'cancelled' | 'deleted';
}

const discountOf = ({ lines }: Pick<Goods, 'lines'>): number => sum(lines.map(({ discount }) => discount));

const discountsOf = (goods: Goods): InvoiceContent['discounts'] => [
  {
    ...{ id: idNamed('taken'), category: 'AmountOffProducts', lineId: null },
    ...{ discountId: idNamed(goods.rule ?? 'by hand'), name: goods.rule ?? 'by hand', code: null },
    ...{ amount: discountOf(goods), amountInStoreCurrency: discountOf(goods) },
    ...(goods.rule === null && { isManual: true }),
  },
];

const contentOf = ({ day, customer, source, goods }: ListedSale): InvoiceContent =>
  soldContent(goods.lines, goods.shipping, {
    businessDay: day,
    customerId: idNamed(customer),
    discounts: discountsOf(goods),
    source: { type: source, displayName: '', sourceName: null, sourceId: null, sessionId: null },
  });

/** A shop that records what happens, beside a list of its sales. */
class ListedShop {
  readonly list: ListedSale[] = [];
  readonly events: GivenEvent[] = [];
  #given: { readonly sale: ListedSale; readonly amount: number }[] = [];

  #named = (sale: ListedSale) => invoice(sale.name, { content: contentOf(sale) });
  #asItStands = (sale: ListedSale) => saleAsItStands(contentOf(sale), sale.returns, sale.country);

  sell(sold: Omit<ListedSale, 'name' | 'returns' | 'status'>): void {
    const sale: ListedSale = { ...sold, name: `sale ${this.list.length}`, returns: 0, status: 'stands' };
    this.list.push(sale);
    const { stream, confirmed } = this.#named(sale);
    this.events.push({ ...SaleConfirmed({ ...confirmed().data, countryCode: sale.country }), stream });
  }

  edit(sale: ListedSale, goods: Goods): void {
    if (sale.status !== 'stands') return;
    const saleBefore = this.#asItStands(sale);
    sale.goods = goods;
    // Of what was given back, half was owed anyway once the sale came to less.
    const returned = -Math.floor(sale.returns / 2);
    sale.returns += returned;
    this.#given = this.#given.filter((given) => given.sale !== sale);
    const { stream, invoiceName } = this.#named(sale);
    const nothing = { subTotal: 0, discount: 0, shipping: 0, tax: 0, total: 0 };
    const edited = InvoiceEdited({
      ...invoiceName,
      ...{ editId: idNamed(`edit ${this.events.length}`), placementId: idNamed('placement'), version: 1 },
      content: contentOf(sale),
      balance: invoiceBalance(0, 0, 0),
      difference: { amounts: nothing, cost: 0, items: 0, returns: returned, discounts: [] },
      ...{ isOfSale: true, saleBefore, orderStatuses: {}, stock: [] },
      ...{ reason: 'Others.', by: 'mary', editedAt: at },
    });
    this.events.push({ ...edited, stream });
  }

  #refund(sale: ListedSale, amount: number) {
    const { stream, invoiceName } = this.#named(sale);
    return {
      stream,
      data: {
        ...invoiceName,
        ...{ refundId: idNamed(`refund ${this.events.length}`), paymentId: idNamed('payment') },
        ...{ provider: 'manual', currency: 'GBP', by: 'mary', transactionId: 'refund' },
        ...{ amount, amountInStoreCurrency: amount, givenBackInStoreCurrency: amount },
        balance: invoiceBalance(0, 0, 0),
        isOfSale: true,
        saleBefore: this.#asItStands(sale),
      },
    } as const;
  }

  refund(sale: ListedSale, amount: number): void {
    if (sale.status !== 'stands' || amount === 0) return;
    const { stream, data } = this.#refund(sale, amount);
    sale.returns += amount;
    this.#given.push({ sale, amount });
    const more = { paymentType: 'PartialRefund', reason: 'Broken.', openRefunds: 0, refundedAt: at } as const;
    this.events.push({ ...PaymentRefunded({ ...data, ...more, givenBack: amount }), stream });
  }

  /** The refund that was given last was not given after all. */
  failRefund(): void {
    const last = this.#given.pop();
    if (last?.sale.status !== 'stands') return;
    const { stream, data } = this.#refund(last.sale, last.amount);
    last.sale.returns -= last.amount;
    this.events.push({ ...RefundFailed({ ...data, message: 'Account closed.', failedAt: at }), stream });
  }

  cancel(sale: ListedSale): void {
    if (sale.status !== 'stands') return;
    sale.status = 'cancelled';
    const { stream, invoiceName } = this.#named(sale);
    const closed = { balance: closedBalance(0, 0, 0, 0), sale: this.#asItStands(sale) };
    const how = { reason: 'A mistake.', cancelledBy: 'mary', cancelledAt: at };
    this.events.push({ ...InvoiceCancelled({ ...invoiceName, ...how, ...closed }), stream });
  }

  delete(sale: ListedSale): void {
    if (sale.status === 'deleted') return;
    const wasCancelled = sale.status === 'cancelled';
    sale.status = 'deleted';
    const { stream, invoiceName } = this.#named(sale);
    const closed = { balance: closedBalance(0, 0, 0, 0), sale: this.#asItStands(sale) };
    const how = {
      deletedBy: 'mary',
      deletedAt: at,
      orderIds: [],
      paymentIds: [],
      completedDays: [],
      wasCancelled,
    };
    this.events.push({ ...InvoiceDeleted({ ...invoiceName, ...how, ...closed }), stream });
  }
}

const line: fc.Arbitrary<SoldLine> = fc
  .record({
    product: fc.constantFrom('ant', 'ape', 'bee', 'bat', 'cow'),
    quantity: fc.integer({ min: 1, max: 5 }),
    unitPrice: fc.integer({ min: 0, max: 5_000 }),
    discount: fc.nat(100),
    tax: fc.nat(500),
  })
  .map((one) => ({
    ...one,
    discount: Math.min(one.discount, one.unitPrice * one.quantity),
    collections: one.product.startsWith('a') ? ['letters', 'first'] : ['letters'],
  }));
const goods: fc.Arbitrary<Goods> = fc.record({
  rule: fc.constantFrom('tenth', 'fifth', null),
  lines: fc.array(line, { minLength: 1, maxLength: 4 }),
  shipping: fc.nat(500),
});
const sold = fc.record({
  day: fc.constantFrom('2026-03-01', '2026-03-02'),
  country: fc.constantFrom('GB', 'FR'),
  customer: fc.constantFrom('ada', 'bob'),
  source: fc.constantFrom<SourceType>('web', 'draft'),
  goods,
});

type Step = (shop: ListedShop) => void;
const toSale = (act: (shop: ListedShop, sale: ListedSale) => void) =>
  fc.nat(30).map((place): Step => {
    return (shop) => {
      const sale = shop.list[place % Math.max(1, shop.list.length)];
      if (sale) act(shop, sale);
    };
  });
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: sold.map(
        (sale): Step =>
          (shop) =>
            shop.sell(sale),
      ),
    },
    goods.chain((now) => toSale((shop, sale) => shop.edit(sale, now))),
    fc.nat(5_000).chain((amount) => toSale((shop, sale) => shop.refund(sale, amount))),
    fc.constant((shop: ListedShop) => shop.failRefund()),
    toSale((shop, sale) => shop.cancel(sale)),
    toSale((shop, sale) => shop.delete(sale)),
  ),
  { maxLength: 25 },
);

type Counted = Omit<MemberSums, 'returns'>;

const grossOf = ({ unitPrice, quantity }: SoldLine): number => unitPrice * quantity;

/** Of some lines of a sale: those of a product, say. */
const countedOf = (lines: readonly SoldLine[], shipping = 0): Counted => ({
  sales: sum(lines.map((one) => grossOf(one) - one.discount + one.tax)) + shipping,
  grossSales: sum(lines.map(grossOf)),
  discounts: sum(lines.map(({ discount }) => discount)),
  orders: 1,
  items: sum(lines.map(({ quantity }) => quantity)),
});

/** Adds the sales of the list up by hand, one member after the other. */
const listed = (
  list: readonly ListedSale[],
  membersOf: (sale: ListedSale) => readonly (readonly [string, Counted])[],
): Readonly<Record<string, Counted>> => {
  const all: Record<string, Record<keyof Counted, number>> = {};
  for (const sale of list.filter(({ status }) => status === 'stands'))
    for (const [member, more] of membersOf(sale)) {
      const sums = (all[member] ??= { sales: 0, grossSales: 0, discounts: 0, orders: 0, items: 0 });
      for (const figure of Object.keys(sums) as (keyof Counted)[]) sums[figure] += more[figure];
    }
  return all;
};

const ofWhole = (memberOf: (sale: ListedSale) => string) => (sale: ListedSale) =>
  [[memberOf(sale), countedOf(sale.goods.lines, sale.goods.shipping)]] as const;

const ofLines =
  (membersOf: (line: SoldLine) => readonly string[]) =>
  ({ goods: { lines } }: ListedSale) =>
    [...new Set(lines.flatMap(membersOf))].map(
      (member) => [member, countedOf(lines.filter((one) => membersOf(one).includes(member)))] as const,
    );

const membersIn: Readonly<Record<Dimension, (sale: ListedSale) => readonly (readonly [string, Counted])[]>> =
  {
    discount: (sale) =>
      sale.goods.rule === null ? [] : ofWhole(({ goods: { rule } }) => idNamed(rule ?? ''))(sale),
    country: ofWhole(({ country }) => country),
    customer: ofWhole(({ customer }) => idNamed(customer)),
    source: ofWhole(({ source }) => source),
    variant: ofLines(({ product }) => [idNamed(product)]),
    product: ofLines(({ product }) => [idNamed(rootOf(product))]),
    collection: ofLines(({ collections = [] }) => collections.map(idNamed)),
  };

/** Without returns, and without members of which everything was taken back. */
const withoutReturns = (all: Readonly<Record<string, MemberSums>>): Readonly<Record<string, Counted>> =>
  Object.fromEntries(
    Object.entries(all)
      .filter(([, { orders }]) => orders !== 0)
      .map(([member, { returns: _, ...counted }]) => [member, counted]),
  );

const returnsIn = (all: Readonly<Record<string, MemberSums>>): number =>
  sum(Object.values(all).map(({ returns }) => returns));

describe('what was sold by product, customer and the like, of sales that are refunded, edited, cancelled and deleted', () => {
  const played = (all: readonly Step[]): ListedShop => {
    const shop = new ListedShop();
    for (const one of all) one(shop);
    return shop;
  };

  it('is what a list of the sales adds up to', () =>
    fc.assert(
      fc.property(steps, (all) => {
        const { events, list } = played(all);
        for (const [dimension, membersOf] of Object.entries(membersIn) as [
          Dimension,
          Parameters<typeof listed>[1],
        ][])
          expect(withoutReturns(soldOf(events, dimension)), dimension).to.deep.equal(listed(list, membersOf));
      }),
      { numRuns: 60 },
    ));

  it('has what was given back, of which each product bears no more than its part and a penny', () =>
    fc.assert(
      fc.property(steps, (all) => {
        const { events, list } = played(all);
        const standing = list.filter(({ status }) => status === 'stands');
        const returns = sum(standing.map((sale) => sale.returns));
        for (const dimension of ['country', 'customer', 'source'] as const)
          expect(returnsIn(soldOf(events, dimension)), dimension).to.equal(returns);
        for (const [member, sums] of Object.entries(soldOf(events, 'variant'))) {
          const parts = standing.map(({ goods: { lines, shipping }, returns: given }) => {
            const total = countedOf(lines, shipping).sales;
            const own = countedOf(lines.filter(({ product }) => idNamed(product) === member)).sales;
            return total === 0 ? 0 : (given * own) / total;
          });
          expect(sums.returns, member).to.be.closeTo(sum(parts), standing.length);
        }
      }),
      { numRuns: 150 },
    ));
});
