import { scale, type Minor } from './money.ts';

/** What a customer has bought, over confirmed sales (docs/rules/customers.md#figures). */
export interface CustomerFigures {
  readonly orderCount: number;
  /** In the store's currency. */
  readonly totalSpend: Minor;
  /** Instants of the first and the last invoice; null before the first, and for sales of older releases. */
  readonly firstOrderAt: string | null;
  readonly lastOrderAt: string | null;
  /** Where the last invoice was billed to. */
  readonly countryCode: string | null;
}

/** A confirmed sale; null is what older releases did not record. */
export interface CustomerSale {
  readonly total: Minor | null;
  /** When its invoice was made: an ISO instant. */
  readonly placedAt: string | null;
  readonly countryCode: string | null;
}

export const noSales: CustomerFigures = {
  orderCount: 0,
  totalSpend: 0,
  firstOrderAt: null,
  lastOrderAt: null,
  countryCode: null,
};

/** What an order is worth on average, rounded to the minor unit; null without one. */
export const averageOrderValue = ({
  orderCount,
  totalSpend,
}: Pick<CustomerFigures, 'orderCount' | 'totalSpend'>): Minor | null =>
  orderCount === 0 ? null : scale(totalSpend, 1, orderCount);

/** The figures with one more sale; sales may come in any order. ISO instants in UTC compare as texts. */
const withSale = (
  { orderCount, totalSpend, firstOrderAt, lastOrderAt, countryCode }: CustomerFigures,
  sale: CustomerSale,
): CustomerFigures => {
  const { placedAt } = sale;
  const isFirst = placedAt !== null && (firstOrderAt === null || placedAt < firstOrderAt);
  const isLast = placedAt !== null && (lastOrderAt === null || placedAt >= lastOrderAt);
  return {
    orderCount: orderCount + 1,
    totalSpend: totalSpend + (sale.total ?? 0),
    firstOrderAt: isFirst ? placedAt : firstOrderAt,
    lastOrderAt: isLast ? placedAt : lastOrderAt,
    countryCode: isLast ? sale.countryCode : countryCode,
  };
};

/** The figures of these sales, in the order in which they were confirmed. */
export const figuresOf = (sales: Iterable<CustomerSale>): CustomerFigures => {
  let figures = noSales;
  for (const sale of sales) figures = withSale(figures, sale);
  return figures;
};

/** What events say of the sales of a customer. */
type SalesChange =
  | { readonly type: 'CustomerSaleRecorded'; readonly data: CustomerSale }
  | { readonly type: 'CustomerSaleCancelled'; readonly data: { readonly figures: CustomerFigures } }
  | { readonly type: 'CustomerSaleChanged'; readonly data: Pick<CustomerFigures, 'totalSpend'> };

/** The figures after an event: the one fold of the customer's stream, of the list of customers and of segments. */
export const figuresAfter = (figures: CustomerFigures, { type, data }: SalesChange): CustomerFigures => {
  switch (type) {
    case 'CustomerSaleRecorded':
      return withSale(figures, data);
    case 'CustomerSaleCancelled':
      return data.figures;
    case 'CustomerSaleChanged':
      return { ...figures, totalSpend: data.totalSpend };
  }
};
