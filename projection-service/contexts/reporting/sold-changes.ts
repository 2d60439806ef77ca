import { rankings } from '#contracts/top.contract.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { ClosedSale, SoldProduct } from '#events/invoice.fields.ts';
import { saleAsItStands } from '#events/sale-figures.ts';
import type { EventOfType, Recorded } from '#kernel/event.ts';
import { allocate, type Minor } from '#values/money.ts';

export type Dimension = (typeof rankings)[number];

/** What a member of a dimension sold. Amounts in minor units of the store's currency. */
export interface MemberSums {
  /** After discounts, with tax. */
  readonly sales: Minor;
  readonly grossSales: Minor;
  readonly discounts: Minor;
  readonly returns: Minor;
  /** Sales that the member has a part in. */
  readonly orders: number;
  /** Pieces. */
  readonly items: number;
}

/** What an event changes in the sums of a member, on a business day. */
export interface SoldChange {
  readonly businessDay: string;
  readonly dimension: Dimension;
  readonly member: string;
  readonly sums: MemberSums;
}

export const noSums: MemberSums = {
  sales: 0,
  grossSales: 0,
  discounts: 0,
  returns: 0,
  orders: 0,
  items: 0,
};

/** Adds sums, or takes them away. */
export const withSums = (sums: MemberSums, more: MemberSums, times: 1 | -1 = 1): MemberSums => ({
  sales: sums.sales + times * more.sales,
  grossSales: sums.grossSales + times * more.grossSales,
  discounts: sums.discounts + times * more.discounts,
  returns: sums.returns + times * more.returns,
  orders: sums.orders + times * more.orders,
  items: sums.items + times * more.items,
});

export const isNothing = ({ sales, grossSales, discounts, returns, orders, items }: MemberSums): boolean =>
  sales === 0 && grossSales === 0 && discounts === 0 && returns === 0 && orders === 0 && items === 0;

type Shares = Map<string, MemberSums>;

const shareOut = (shares: Shares, member: string, more: MemberSums): void => {
  const known = shares.get(member);
  // The sale is one order of the member, however many of its products are the member's.
  shares.set(member, known ? { ...withSums(known, more), orders: 1 } : more);
};

/** Of what was given back, each product bears its part of the total, and shipping the rest. */
const returnsOf = ({ amounts, returns }: ClosedSale, products: readonly SoldProduct[]): readonly Minor[] => {
  if (returns === 0) return [];
  const parts = products.map(({ sales }) => Math.max(0, sales));
  const rest = amounts.total - parts.reduce((sum, part) => sum + part, 0);
  return allocate(returns, [...parts, Math.max(0, rest)]);
};

type SharesByDimension = Readonly<Record<Dimension, Shares>>;

/** What a sale counts for, by dimension and member. Of what older releases wrote, the members that they name. */
const sharesOf = (sale: ClosedSale): SharesByDimension => {
  const { amounts, items, returns, sourceType = 'web', uses, countryCode, products = [] } = sale;
  const whole: MemberSums = {
    sales: amounts.total,
    grossSales: amounts.subTotal,
    discounts: amounts.discount,
    returns,
    orders: 1,
    items,
  };
  const shares: SharesByDimension = {
    product: new Map(),
    variant: new Map(),
    collection: new Map(),
    country: new Map(countryCode === undefined ? [] : [[countryCode, whole]]),
    customer: new Map(uses && uses.customerId !== null ? [[uses.customerId, whole]] : []),
    discount: new Map(
      uses?.discounts.map(({ discountId, amount }) => [discountId, { ...whole, discounts: amount }]),
    ),
    source: new Map([[sourceType, whole]]),
  };
  const returned = returnsOf(sale, products);
  for (const [place, product] of products.entries()) {
    const { productId, productRootId, collectionIds = [], items: pieces, ...figures } = product;
    const own: MemberSums = {
      sales: figures.sales,
      grossSales: figures.grossSales,
      discounts: figures.discounts,
      returns: returned[place] ?? 0,
      orders: 1,
      items: pieces,
    };
    shareOut(shares.variant, productId, own);
    shareOut(shares.product, productRootId, own);
    for (const collectionId of new Set(collectionIds)) shareOut(shares.collection, collectionId, own);
  }
  return shares;
};

/** The sale as it was before an event, and as it is after it; null where it does not stand. */
interface Step {
  readonly businessDay: string;
  readonly before: ClosedSale | null;
  readonly after: ClosedSale | null;
}

export type SoldEvent = Extract<
  InvoiceEvent,
  {
    readonly type:
      | 'SaleConfirmed'
      | 'InvoiceEdited'
      | 'PaymentRefunded'
      | 'RefundFailed'
      | 'InvoiceCancelled'
      | 'InvoiceDeleted';
  }
>;

type DataOf<Type extends SoldEvent['type']> = EventOfType<SoldEvent, Type>['data'];

const returnsChanged = (
  { businessDay, saleBefore }: DataOf<'PaymentRefunded' | 'RefundFailed'>,
  change: Minor,
): Step | null =>
  saleBefore
    ? { businessDay, before: saleBefore, after: { ...saleBefore, returns: saleBefore.returns + change } }
    : null;

const edited = ({ businessDay, content, difference, saleBefore }: DataOf<'InvoiceEdited'>): Step | null =>
  saleBefore
    ? {
        businessDay,
        before: saleBefore,
        after: saleAsItStands(content, saleBefore.returns + difference.returns, saleBefore.countryCode),
      }
    : null;

/** Null where the event changes nothing, or was written by a release that did not say what it changes. */
const stepOf = ({ type, data }: Recorded<SoldEvent>): Step | null => {
  switch (type) {
    case 'SaleConfirmed': {
      const { content, returns = 0, countryCode } = data;
      const after = saleAsItStands(content, returns, countryCode);
      return { businessDay: content.businessDay, before: null, after };
    }
    case 'InvoiceEdited':
      return edited(data);
    case 'PaymentRefunded':
      return returnsChanged(data, data.givenBackInStoreCurrency);
    case 'RefundFailed':
      return returnsChanged(data, -data.givenBackInStoreCurrency);
    case 'InvoiceCancelled':
      return { businessDay: data.businessDay, before: data.sale ?? null, after: null };
    case 'InvoiceDeleted': {
      const { businessDay, sale, wasCancelled } = data;
      // Cancelled, it had left its day already.
      return { businessDay, before: wasCancelled ? null : (sale ?? null), after: null };
    }
  }
};

/** What each member of either side has gained; those of the one before first. */
const gained = (was: Shares, is: Shares): Shares => {
  if (was.size === 0) return is;
  const changes: Shares = new Map();
  for (const [member, sums] of was) changes.set(member, withSums(is.get(member) ?? noSums, sums, -1));
  for (const [member, sums] of is) if (!was.has(member)) changes.set(member, sums);
  return changes;
};

const noShares: Shares = new Map();

/**
 * What an event changes, by dimension and member: the sale after it less the sale before it. So the changes of a sale
 * add up to what it is at last.
 */
export const soldChanges = (event: Recorded<SoldEvent>): readonly SoldChange[] => {
  const step = stepOf(event);
  if (!step) return [];
  const { businessDay, before, after } = step;
  const [old, now] = [before && sharesOf(before), after && sharesOf(after)];
  const changes: SoldChange[] = [];
  for (const dimension of rankings)
    for (const [member, sums] of gained(old?.[dimension] ?? noShares, now?.[dimension] ?? noShares))
      if (!isNothing(sums)) changes.push({ businessDay, dimension, member, sums });
  return changes;
};
