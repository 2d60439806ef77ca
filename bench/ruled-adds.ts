import { compareAdds } from './compare-loads.ts';
import { whole, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import { stock } from './stocked-shop.ts';
import { ruledStore } from './store.ts';

const PRODUCTS = 1000;
const MATCHING = 5;
const SHARE = 0.97;

/**
 * Adds beside many automatic discounts, few of which apply, in turn with a shop that has those few alone: both answer
 * the same, so that only the number of the others differs.
 */
export const measureRuledAdds = async (bench: Bench): Promise<Figure[]> => {
  const rules = bench.isQuick ? 500 : 10_000;
  const usual = await stock(bench, 'few-rules', ruledStore(PRODUCTS, MATCHING, MATCHING));
  try {
    const measured = await stock(bench, 'many-rules', ruledStore(PRODUCTS, rules, MATCHING));
    try {
      const work = `POST /basket/add beside ${whole(rules)} active discounts, ${MATCHING} of which apply, in turn with those ${MATCHING} alone`;
      const shops = { measured, usual, usualName: `the shop with ${MATCHING}` };
      return [await compareAdds(bench, { row: 'ruled-adds', work, ...shops, reach: SHARE })];
    } finally {
      await measured.stop();
    }
  } finally {
    await usual.stop();
  }
};
