import { streamOf } from '#values/stream-name.ts';
import type { GivenEvent } from '../given.ts';
import { idNamed } from './basket.ts';
import { saleRecorded } from './customer.ts';
import { invoice } from './invoice.ts';

/** One confirmed sale, as reports see it: when, of how much, and when the customer had bought before. */
export interface Sale {
  readonly day: string;
  /** Minor units; without tax, shipping and discount. */
  readonly amount?: number;
  readonly previousSaleDay?: string | null;
}

let sales = 0;

/** A sale of one thing without tax, shipping or discount, and what the stream of its customer tells of it. */
export const saleOf = ({ day, amount = 1000, previousSaleDay = null }: Sale): readonly GivenEvent[] => {
  const amounts = { subTotal: amount, discount: 0, shipping: 0, tax: 0, total: amount };
  const content = { businessDay: day, amounts, amountsInStoreCurrency: amounts, itemCount: 1, orders: [] };
  const sold = invoice(`sale ${++sales}`, { content });
  const told = saleRecorded({
    invoiceId: sold.id,
    businessDay: day,
    isFirstOfDay: previousSaleDay !== day,
    previousSaleDay,
    total: amount,
  });
  return [
    { ...told, stream: streamOf.customer(idNamed(`customer of sale ${sales}`)) },
    { ...sold.confirmed(), stream: sold.stream },
  ];
};
