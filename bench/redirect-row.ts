import { compareLoads } from './compare-loads.ts';
import type { Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import { stock } from './stocked-shop.ts';
import { dollarStore } from './store.ts';
import { callbacksUnlimited } from './send-callback.ts';

const PRODUCTS = 1000;
const SHARE = 0.8;

/** Purchases in another currency, paid at the provider's page and told by its callback, in turn with card purchases. */
export const measureRedirects = async (bench: Bench): Promise<Figure[]> => {
  const stocked = await stock(bench, 'redirect', dollarStore(PRODUCTS), callbacksUnlimited);
  try {
    return [
      await compareLoads(bench, {
        row: 'redirect',
        work: 'purchase by redirect, callback and return, in EUR from a USD store, in turn with one by card',
        shoppers: 16,
        measured: { ...stocked, does: 'purchase-elsewhere' },
        usual: { ...stocked, does: 'purchase' },
        usualName: 'a card purchase',
        reach: SHARE,
      }),
    ];
  } finally {
    await stocked.stop();
  }
};
