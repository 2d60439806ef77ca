import type { GivenEvent } from '../given.ts';
import { invoice } from './invoice.ts';

/** One confirmed sale, as reports see it: when, of how much, and when the customer had bought before. */
export interface Sale {
  readonly day: string;
  /** Minor units; without tax, shipping and discount. */
  readonly amount?: number;
  readonly previousSaleDay?: string | null;
}

let sales = 0;

/** A sale of one thing without tax, shipping or discount. */
export const saleOf = ({ day, amount = 1000, previousSaleDay = null }: Sale): GivenEvent => {
  const amounts = { subTotal: amount, discount: 0, shipping: 0, tax: 0, total: amount };
  const content = { businessDay: day, amounts, amountsInStoreCurrency: amounts, itemCount: 1, orders: [] };
  const sold = invoice(`sale ${++sales}`, { content });
  return { ...sold.confirmed(previousSaleDay), stream: sold.stream };
};
