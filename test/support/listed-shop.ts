import fc from 'fast-check';
import type { CustomerCommand } from '#command/contexts/customers/customer.commands.ts';
import { customerDecider } from '#command/contexts/customers/customer.decider.ts';
import type { CreationEvent, CustomerEvent } from '#events/customer.events.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import type { Amounts, ClosedSale, SourceType } from '#events/invoice.fields.ts';
import { fold } from '#kernel/decider.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { daysOf } from '#projection/contexts/reporting/report-window.ts';
import { closedBalance, invoiceBalance } from '#values/invoice-balance.ts';
import { streamOf } from '#values/stream-name.ts';
import { idNamed } from './builders/basket.ts';
import { registered } from './builders/customer.ts';
import { invoice, mugOrder, twoMugs } from './builders/invoice.ts';
import type { GivenEvent } from './given.ts';

const { InvoiceCancelled, InvoiceDeleted, InvoiceEdited, PaymentRefunded, RefundFailed } =
  invoiceEvents.create;
/** The days on which the shop sells. */
export const shopDays = daysOf({ start: '2026-02-26', end: '2026-03-07' });
const at = '2026-04-01T09:00:00.000Z';

/** What is sold: so many mugs, which cost the shop so much each. */
export interface Goods {
  readonly subTotal: number;
  readonly discount: number;
  readonly shipping: number;
  readonly tax: number;
  readonly items: number;
  readonly unitCost: number;
}

/** One mug, which costs the shop nothing, at this price and nothing more. */
export const worth = (subTotal: number): Goods => ({
  ...{ subTotal, discount: 0, shipping: 0, tax: 0 },
  ...{ items: 1, unitCost: 0 },
});

/** A line of the list that the reports are held against. */
export interface ListedSale {
  readonly day: string;
  readonly source: SourceType;
  readonly customer: string;
  goods: Goods;
  returns: number;
  status: 'stands' | 'cancelled' | 'deleted';
  /** The day on which its order was completed; null while it is not. */
  completedOn: string | null;
}

export const totalOf = ({ subTotal, discount, shipping, tax }: Goods): number =>
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
export class ListedShop {
  readonly list: ListedSale[] = [];
  readonly events: GivenEvent[] = [];
  readonly #customers = new Map<string, readonly (CustomerEvent | CreationEvent)[]>();
  readonly #given: { readonly sale: ListedSale; readonly amount: number }[] = [];

  /** Hours go by: some things are recorded on the same day, others weeks later. */
  #record(stream: string, event: DomainEvent): void {
    const recordedAt = new Date(Date.parse(at) + this.events.length * 7 * 3_600_000).toISOString();
    this.events.push({ ...event, stream, recordedAt });
  }

  /** Has all that happens recorded at one instant. */
  at(recordedAt: string, happens: () => void): void {
    const before = this.events.length;
    happens();
    this.events.push(...this.events.splice(before).map((event) => ({ ...event, recordedAt })));
  }

  #named(sale: ListedSale) {
    const name = `sale ${this.list.indexOf(sale)}`;
    return invoice(name, { content: contentOf(sale) });
  }

  /** What the stream of its customer makes of it. */
  #tell(sale: ListedSale, commandOf: (invoiceId: string) => CustomerCommand): void {
    const stream = streamOf.customer(idNamed(sale.customer));
    const known = this.#customers.get(stream) ?? [registered()];
    const context = { at, timeZone: 'UTC', isSegment: () => true, unpaidInvoices: 0 };
    const state = fold(customerDecider, structuredClone(known));
    const told = customerDecider.decide(state, commandOf(this.#named(sale).id), context);
    this.#customers.set(stream, [...known, ...told]);
    for (const event of told) this.#record(stream, event);
  }

  #closed({ goods, returns, source }: ListedSale): ClosedSale {
    const { items, unitCost } = goods;
    return { amounts: amountsOf(goods), cost: items * unitCost, items, returns, ...named(source) };
  }

  /** In whatever order of days: invoices may be paid late. */
  sell(day: string, source: SourceType, customer: string, goods: Goods): void {
    const sale: ListedSale = {
      day,
      source,
      customer,
      goods,
      returns: 0,
      status: 'stands',
      completedOn: null,
    };
    this.list.push(sale);
    const { stream, confirmed } = this.#named(sale);
    this.#record(stream, confirmed());
    const { total } = amountsOf(goods);
    this.#tell(sale, (invoiceId) => ({
      ...{ type: 'RecordCustomerSale', invoiceId, businessDay: day, sourceType: source, total },
      ...{ placedAt: at, countryCode: null },
    }));
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
    this.#record(stream, edited);
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
    this.#record(stream, refunded);
  }

  /** The refund that was given last was not given after all. */
  failRefund(): void {
    const last = this.#given.pop();
    if (last?.sale.status !== 'stands') return;
    last.sale.returns -= last.amount;
    const { stream, data } = this.#refund(last.sale, last.amount);
    this.#record(stream, RefundFailed({ ...data, message: 'Account closed.', failedAt: at }));
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
    this.#record(stream, cancelled);
    this.#tell(sale, (invoiceId) => ({ type: 'CancelCustomerSale', invoiceId }));
  }

  delete(sale: ListedSale): void {
    if (sale.status === 'deleted') return;
    const wasCancelled = sale.status === 'cancelled';
    sale.status = 'deleted';
    const { stream, invoiceName } = this.#named(sale);
    const deleted = InvoiceDeleted({
      ...invoiceName,
      ...{ deletedBy: 'mary', deletedAt: at, orderIds: [], paymentIds: [], wasCancelled },
      completedDays: sale.completedOn === null ? [] : [sale.completedOn],
      ...named(sale.source),
      balance: closedBalance(totalOf(sale.goods), 0, 0, 0),
      sale: this.#closed(sale),
    });
    this.#record(stream, deleted);
    if (!wasCancelled) this.#tell(sale, (invoiceId) => ({ type: 'CancelCustomerSale', invoiceId }));
  }

  /** An order that is completed leaves Completed, and one that is not is completed. */
  moveOrder(sale: ListedSale, day: string): void {
    if (sale.status === 'deleted') return;
    const { stream, moved } = this.#named(sale);
    const { completedOn } = sale;
    sale.completedOn = completedOn === null ? day : null;
    const from = named(sale.source);
    const done = moved('Completed', 'order', 'Shipped', day);
    if (completedOn === null) return this.#record(stream, { ...done, data: { ...done.data, ...from } });
    const left = moved('Shipped', 'order', 'Completed', day);
    this.#record(stream, { ...left, data: { ...left.data, completedDay: completedOn, ...from } });
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

export const source = fc.constantFrom<SourceType>('web', 'draft', 'api');
const day = fc.constantFrom(...shopDays);
export type Step = (shop: ListedShop) => void;
const toSale = (act: (shop: ListedShop, sale: ListedSale) => void) =>
  fc.nat(30).map((place): Step => {
    return (shop) => {
      const sale = shop.list[place % Math.max(1, shop.list.length)];
      if (sale) act(shop, sale);
    };
  });
/** Anything that may happen to sales, in any order. */
export const shopStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(day, source, fc.constantFrom('ada', 'bob', 'cyd'), goods).map(
      ([on, from, to, sold]): Step =>
        (shop) =>
          shop.sell(on, from, to, sold),
    ),
  },
  goods.chain((now) => toSale((shop, sale) => shop.edit(sale, now))),
  small.chain((amount) => toSale((shop, sale) => shop.refund(sale, amount))),
  fc.constant((shop: ListedShop) => shop.failRefund()),
  toSale((shop, sale) => shop.cancel(sale)),
  toSale((shop, sale) => shop.delete(sale)),
  day.chain((on) => toSale((shop, sale) => shop.moveOrder(sale, on))),
);
