import { compareAdds } from './compare-loads.ts';
import { whole, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import { stock } from './stocked-shop.ts';
import { ruledStore } from './store.ts';

const PRODUCTS = 1000;
const MATCHING = 5;
const SHARE = 0.85;

/** Adds beside many automatic discounts, few of which apply, in turn with a shop that has none. */
export const measureRuledAdds = async (bench: Bench): Promise<Figure[]> => {
  const rules = bench.isQuick ? 500 : 10_000;
  const usual = await stock(bench, 'without-rules', ruledStore(PRODUCTS, 0, 0));
  try {
    const measured = await stock(bench, 'with-rules', ruledStore(PRODUCTS, rules, MATCHING));
    try {
      const work = `POST /basket/add beside ${whole(rules)} active discounts, ${MATCHING} of which apply, in turn with none`;
      const shops = { measured, usual, usualName: 'the one without' };
      return [await compareAdds(bench, { row: 'ruled-adds', work, ...shops, reach: SHARE })];
    } finally {
      await measured.stop();
    }
  } finally {
    await usual.stop();
  }
};
