import { expect } from 'chai';
import fc from 'fast-check';
import { invoiceEvents } from '#events/invoice.events.ts';
import type { Amounts, ClosedSale, SourceType } from '#events/invoice.fields.ts';
import { dailySalesProjection } from '#projection/contexts/reporting/daily-sales.projection.ts';
import { salesBreakdown, type SalesFilter } from '#projection/contexts/reporting/reporting.queries.ts';
import { daysOf } from '#projection/contexts/reporting/report-window.ts';
import { averageSeries, salesSeries } from '#projection/contexts/reporting/time-series.queries.ts';
import { closedBalance, invoiceBalance } from '#values/invoice-balance.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { invoice, mugOrder, twoMugs } from '#test/support/builders/invoice.ts';
import { periodOf } from '#test/support/builders/period.ts';
import { givenEvents, type GivenEvent } from '#test/support/given.ts';

const { InvoiceCancelled, InvoiceDeleted, InvoiceEdited, PaymentRefunded, RefundFailed } =
  invoiceEvents.create;
const window = { start: '2026-03-01', end: '2026-03-10' };
const days = daysOf(window);
const at = '2026-04-01T09:00:00.000Z';

/** What is sold: so many mugs, which cost the shop so much each. */
interface Goods {
  readonly subTotal: number;
  readonly discount: number;
  readonly shipping: number;
  readonly tax: number;
  readonly items: number;
  readonly unitCost: number;
}

/** A line of the list that the reports are held against. */
interface ListedSale {
  readonly day: string;
  readonly source: SourceType;
  goods: Goods;
  returns: number;
  status: 'stands' | 'cancelled' | 'deleted';
}

const totalOf = ({ subTotal, discount, shipping, tax }: Goods): number =>
  subTotal - discount + shipping + tax;
const amountsOf = (goods: Goods): Amounts => ({
  subTotal: goods.subTotal,
  discount: goods.discount,
  shipping: goods.shipping,
  tax: goods.tax,
  total: totalOf(goods),
});
const contentOf = ({ day, source, goods }: Pick<ListedSale, 'day' | 'source' | 'goods'>) => {
  const order = mugOrder('order');
  const lines = order.lines.map((line) => ({
    ...line,
    quantity: goods.items,
    costInStoreCurrency: goods.unitCost,
  }));
  const amounts = amountsOf(goods);
  return twoMugs({
    businessDay: day,
    source: { ...twoMugs().source, type: source },
    storeCurrency: 'JPY',
    currency: 'JPY',
    amounts,
    amountsInStoreCurrency: amounts,
    itemCount: goods.items,
    orders: [{ ...order, lines }],
  });
};

const named = (source: SourceType) => (source === 'web' ? {} : { sourceType: source });

/** A shop that records what happens, beside a list of its sales. */
class ListedShop {
  readonly list: ListedSale[] = [];
  readonly events: GivenEvent[] = [];
  readonly #given: { readonly sale: ListedSale; readonly amount: number }[] = [];

  #named(sale: ListedSale) {
    const name = `sale ${this.list.indexOf(sale)}`;
    return invoice(name, { content: contentOf(sale) });
  }

  #closed({ goods, returns, source }: ListedSale): ClosedSale {
    const { items, unitCost } = goods;
    return { amounts: amountsOf(goods), cost: items * unitCost, items, returns, ...named(source) };
  }

  sell(day: string, source: SourceType, goods: Goods): void {
    const sale: ListedSale = { day, source, goods, returns: 0, status: 'stands' };
    this.list.push(sale);
    const { stream, confirmed } = this.#named(sale);
    this.events.push({ ...confirmed(), stream });
  }

  edit(sale: ListedSale, goods: Goods): void {
    if (sale.status !== 'stands') return;
    const before = this.#closed(sale);
    sale.goods = goods;
    const after = this.#closed(sale);
    const change = (figure: keyof Amounts): number => after.amounts[figure] - before.amounts[figure];
    const { stream, invoiceName } = this.#named(sale);
    const edited = InvoiceEdited({
      ...invoiceName,
      editId: idNamed(`edit ${this.events.length}`),
      placementId: idNamed('placement'),
      version: this.events.length,
      content: contentOf(sale),
      balance: invoiceBalance(totalOf(goods), totalOf(goods), 0),
      difference: {
        amounts: {
          subTotal: change('subTotal'),
          discount: change('discount'),
          shipping: change('shipping'),
          tax: change('tax'),
          total: change('total'),
        },
        cost: after.cost - before.cost,
        items: after.items - before.items,
        returns: 0,
        discounts: [],
      },
      isOfSale: true,
      ...{ orderStatuses: {}, stock: [], reason: 'Other mugs.', by: 'mary', editedAt: at },
    });
    this.events.push({ ...edited, stream });
  }

  #refund(sale: ListedSale, amount: number) {
    const { stream, invoiceName } = this.#named(sale);
    return {
      stream,
      data: {
        ...invoiceName,
        ...{ refundId: idNamed(`refund ${this.#given.length}`), paymentId: idNamed('payment') },
        ...{ provider: 'manual', currency: 'JPY', by: 'mary', transactionId: 'refund' },
        ...{ amount, amountInStoreCurrency: amount, givenBackInStoreCurrency: amount },
        balance: invoiceBalance(totalOf(sale.goods), totalOf(sale.goods), 0),
        isOfSale: true,
        ...named(sale.source),
      },
    } as const;
  }

  refund(sale: ListedSale, amount: number): void {
    if (sale.status !== 'stands') return;
    sale.returns += amount;
    const { stream, data } = this.#refund(sale, amount);
    this.#given.push({ sale, amount });
    const refunded = PaymentRefunded({
      ...data,
      ...{ paymentType: 'PartialRefund', reason: 'Broken.', openRefunds: 0, refundedAt: at },
      givenBack: amount,
    });
    this.events.push({ ...refunded, stream });
  }

  /** The refund that was given last was not given after all. */
  failRefund(): void {
    const last = this.#given.pop();
    if (last?.sale.status !== 'stands') return;
    last.sale.returns -= last.amount;
    const { stream, data } = this.#refund(last.sale, last.amount);
    this.events.push({ ...RefundFailed({ ...data, message: 'Account closed.', failedAt: at }), stream });
  }

  cancel(sale: ListedSale): void {
    if (sale.status !== 'stands') return;
    sale.status = 'cancelled';
    const { stream, invoiceName } = this.#named(sale);
    const cancelled = InvoiceCancelled({
      ...invoiceName,
      ...{ reason: 'A mistake.', cancelledBy: 'mary', cancelledAt: at },
      balance: closedBalance(totalOf(sale.goods), 0, 0, 0),
      sale: this.#closed(sale),
    });
    this.events.push({ ...cancelled, stream });
  }

  delete(sale: ListedSale): void {
    if (sale.status === 'deleted') return;
    const wasCancelled = sale.status === 'cancelled';
    sale.status = 'deleted';
    const { stream, invoiceName } = this.#named(sale);
    const deleted = InvoiceDeleted({
      ...invoiceName,
      ...{ deletedBy: 'mary', deletedAt: at, orderIds: [], paymentIds: [], wasCancelled },
      balance: closedBalance(totalOf(sale.goods), 0, 0, 0),
      sale: this.#closed(sale),
    });
    this.events.push({ ...deleted, stream });
  }
}

const small = fc.integer({ min: 0, max: 5_000 });
const goods: fc.Arbitrary<Goods> = fc.record({
  subTotal: fc.integer({ min: 5_000, max: 1_000_000 }),
  discount: small,
  shipping: small,
  tax: small,
  items: fc.integer({ min: 1, max: 9 }),
  unitCost: small,
});

const source = fc.constantFrom<SourceType>('web', 'draft', 'api');
const filter = fc.record({
  includeCancelled: fc.boolean(),
  sourceType: fc.option(source, { nil: undefined }),
});

type Step = (shop: ListedShop) => void;
const toSale = (act: (shop: ListedShop, sale: ListedSale) => void) =>
  fc.nat(30).map((place): Step => {
    return (shop) => {
      const sale = shop.list[place % Math.max(1, shop.list.length)];
      if (sale) act(shop, sale);
    };
  });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constantFrom(...days), source, goods).map(
      ([day, from, sold]): Step =>
        (shop) =>
          shop.sell(day, from, sold),
    ),
  },
  goods.chain((now) => toSale((shop, sale) => shop.edit(sale, now))),
  small.chain((amount) => toSale((shop, sale) => shop.refund(sale, amount))),
  fc.constant((shop: ListedShop) => shop.failRefund()),
  toSale((shop, sale) => shop.cancel(sale)),
  toSale((shop, sale) => shop.delete(sale)),
);

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
/** Of what is not negative, a half goes up. */
const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : Math.floor(sum(values) / values.length + 0.5);

/** The figures of the breakdown, each summed up by itself. */
const breakdownOf = (list: readonly ListedSale[]) => {
  const all = (figure: (sale: ListedSale) => number): number => sum(list.map(figure));
  const grossSales = all((sale) => sale.goods.subTotal);
  const [discounts, returns] = [all((sale) => sale.goods.discount), all((sale) => sale.returns)];
  const totalCost = all((sale) => sale.goods.items * sale.goods.unitCost);
  const netSales = grossSales - discounts - returns;
  return {
    ...{ grossSales, discounts, returns, netSales, totalCost, grossProfit: netSales - totalCost },
    shipping: all((sale) => sale.goods.shipping),
    taxes: all((sale) => sale.goods.tax),
    total: all((sale) => totalOf(sale.goods) - sale.returns),
  };
};

const report = (shop: ListedShop, asked: SalesFilter, place: readonly [number, number]) => {
  const [start = '', end = ''] = [days[Math.min(...place)], days[Math.max(...place)]];
  const { documents } = givenEvents(...shop.events).project(dailySalesProjection, '');
  const isCounted = ({ day, status, source: from }: ListedSale): boolean =>
    day >= start &&
    day <= end &&
    (status === 'stands' || (asked.includeCancelled === true && status === 'cancelled')) &&
    (asked.sourceType ?? from) === from;
  return {
    period: periodOf({ start, end }, documents.values(), asked),
    counted: shop.list.filter(isCounted),
  };
};

describe('reports of sales that are refunded, edited, cancelled and deleted', () => {
  const place = fc.tuple(fc.nat(9), fc.nat(9));
  const steps = fc.array(step, { maxLength: 40 });
  const holdAgainstList = (check: (reported: ReturnType<typeof report>) => void): void =>
    fc.assert(
      fc.property(steps, filter, place, (all, asked, within) => {
        const shop = new ListedShop();
        for (const one of all) one(shop);
        check(report(shop, asked, within));
      }),
    );

  it('add up from gross sales to profit as a list of the sales does', () =>
    holdAgainstList(({ period, counted }) => {
      const found = salesBreakdown(period, null, 'JPY');
      expect(found).to.deep.include(breakdownOf(counted));
      const { netSales, shipping, taxes, returnFees, total } = found;
      expect(netSales + shipping + taxes - returnFees).to.equal(total);
    }));

  it('show days that add up to the period, which is the breakdown before returns', () =>
    holdAgainstList(({ period, counted }) => {
      const { dataPoints, periodTotal } = salesSeries(period, null, 'JPY');
      expect(sum(dataPoints.map(({ value }) => value))).to.equal(periodTotal);
      expect(periodTotal).to.equal(sum(counted.map((sale) => totalOf(sale.goods))));
      const { total, returns } = salesBreakdown(period, null, 'JPY');
      expect(periodTotal).to.equal(total + returns);
    }));

  it('average orders by day and in all', () =>
    holdAgainstList(({ period, counted }) => {
      const { dataPoints, periodTotal, weightedAverage } = averageSeries(period, null, 'JPY');
      const totalsOf = (sales: readonly ListedSale[]): number[] => sales.map((sale) => totalOf(sale.goods));
      const averages = daysOf(period.window).map((date) =>
        mean(totalsOf(counted.filter(({ day }) => day === date))),
      );
      expect(dataPoints.map(({ value }) => value)).to.deep.equal(averages);
      expect(periodTotal).to.equal(mean(averages.filter((value) => value > 0)));
      expect(weightedAverage).to.equal(mean(totalsOf(counted)));
    }));
});
