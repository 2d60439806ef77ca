import { Command } from 'commander';
import { TestShop } from '#test/support/shop.ts';
import { allPurchases } from './all-purchases.ts';
import { dollars, furnishMugShop } from './mug-shop.ts';
import { openDownloads } from './download-purchases.ts';
import { walk, type Walked } from './walk.ts';

/*
 * `npm run journeys`: purchases abroad and with discounts, request by request. Exit code 1 when a step answers
 * otherwise than expected.
 */

const isAsExpected = ({ expected, answered }: Walked): boolean =>
  expected.status === answered.status && expected.money === answered.money;

/** Tokens are long, and tell nobody anything. */
const short = (path: string): string => path.replace(/([=/])[\w.-]{60,}/, '$1…');
const lineOf = ({ method, path, answered }: Walked): string =>
  `  ${method.padEnd(4)} ${short(path)}  ${answered.status}  ${answered.money}`.trimEnd();

const run = async (): Promise<void> => {
  const files = openDownloads();
  const shop = await TestShop.open({
    settings: dollars,
    environment: { ALLOW_LOOPBACK_TARGETS: 'true', DATA_DIR: files.dataDir },
  });
  try {
    const sell = await furnishMugShop(shop);
    const { dataDir } = files;
    let wrong = 0;
    for (const [index, purchase] of allPurchases.entries()) {
      console.log(`\n${purchase.title}`);
      for (const step of await walk(shop, { ...(await sell(`MUG-${index}`)), dataDir }, purchase)) {
        console.log(lineOf(step));
        if (isAsExpected(step)) continue;
        wrong++;
        console.log(`    EXPECTED ${step.expected.status}  ${step.expected.money}`);
      }
    }
    console.log(wrong === 0 ? '\nall as expected' : `\n${wrong} steps otherwise than expected`);
    process.exitCode = wrong > 0 ? 1 : 0;
  } finally {
    await shop.close();
    files.remove();
  }
};

await new Command('journeys')
  .description(
    "Buys in other currencies than the store's and with discounts; prints each request, its status and its money.",
  )
  .action(run)
  .parseAsync();
