import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { addAfterwards, buyerAt, offeringRule } from '../test/support/buying-shop.ts';
import { ShopAt } from '../test/support/shop.ts';
import { backofficeKey } from './backoffice.ts';
import { milliseconds, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import { startShop, untilSettled } from './processes.ts';

const P95_MS = 60;
/** The first ones find nothing compiled. */
const WARM_UP = 20;

/** Something added after a purchase and charged to a saved card, by one buyer after the other. */
export const measureOffers = async (bench: Bench, adds: number): Promise<Figure[]> => {
  const dataDir = join(bench.folder, 'offers');
  mkdirSync(dataDir);
  const { port, stop } = await startShop({
    core: bench.pinning?.server ?? null,
    dataDir,
    storeFile: bench.storeFile,
    outputFile: join(dataDir, 'shop.log'),
  });
  try {
    const shop = new ShopAt(`http://127.0.0.1:${port}`, backofficeKey);
    const [bought = ''] = bench.productIds;
    const offered = bench.productIds.at(-1) ?? '';
    const { body: rule } = await shop.admin.ask(offeringRule(bought, offered));
    await untilSettled(port);
    const took: number[] = [];
    for (let index = 0; index < adds + WARM_UP; index++) {
      const { customer, invoiceId, methodId } = await buyerAt(shop, bought);
      const wish = { productId: offered, upsellRuleId: rule.id as string, savedPaymentMethodId: methodId };
      const request = addAfterwards(invoiceId, { ...wish, idempotencyKey: 'one' });
      const begun = performance.now();
      const { status, text } = await customer.ask(request);
      if (status !== 200) throw new Error(`an offer that was taken up answered ${text}`);
      if (index >= WARM_UP) took.push(performance.now() - begun);
    }
    took.sort((one, other) => one - other);
    const at = (share: number): number => took[Math.ceil(share * took.length) - 1] ?? NaN;
    return [
      {
        work: 'added after a purchase and charged, one buyer: p95',
        measured: `${milliseconds(at(0.95))}; p50 ${milliseconds(at(0.5))}`,
        reach: `under ${P95_MS} ms`,
        isReached: at(0.95) < P95_MS,
      },
    ];
  } finally {
    await stop();
  }
};
