import type { Minor } from './money.ts';

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

/** The figures with one more sale; sales may come in any order. ISO instants in UTC compare as texts. */
export const withSale = (
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

/** The figures without a sale, where these are what is left of the last ones. */
export const withoutSale = (
  figures: CustomerFigures,
  sale: CustomerSale,
  left: readonly CustomerSale[],
): CustomerFigures => {
  const orderCount = Math.max(0, figures.orderCount - 1);
  if (orderCount === 0) return noSales;
  const placed = left
    .flatMap(({ placedAt, countryCode }) => (placedAt === null ? [] : [{ placedAt, countryCode }]))
    .sort((one, other) => (one.placedAt < other.placedAt ? -1 : 1));
  const [first, last] = [placed.at(0), placed.at(-1)];
  // Older ones than those that are left are not known one by one.
  const isAll = left.length >= orderCount;
  return {
    orderCount,
    totalSpend: figures.totalSpend - (sale.total ?? 0),
    firstOrderAt: isAll && first ? first.placedAt : figures.firstOrderAt,
    lastOrderAt: last ? last.placedAt : figures.lastOrderAt,
    countryCode: last ? last.countryCode : figures.countryCode,
  };
};
