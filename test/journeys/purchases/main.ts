import { Command } from 'commander';
import { TestShop } from '#test/support/shop.ts';
import { beDownForADay } from '../day/down-for-a-day.ts';
import { dayEnvironment, liveADay } from '../day/live-a-day.ts';
import { printRefusals } from '../day/print-refusals.ts';
import { printBehaviours } from '../agents/print-behaviours.ts';
import { printLinkedMember } from '../agents/print-linked-member.ts';
import { printOrderDay } from '../agents/print-order-day.ts';
import { printSignatures } from '../agents/print-signatures.ts';
import { printManipulations } from '../manipulations/print-manipulations.ts';
import { allPurchases } from './all-purchases.ts';
import { dollars, furnishMugShop } from './mug-shop.ts';
import { openDownloads } from './download-purchases.ts';
import { walk, type Walked } from './walk.ts';

/*
 * `npm run journeys`: purchases abroad and with discounts, request by request, then a day of webhooks and the targets
 * that none may have, then what can be done to a log and what verify says, what agents count on in both versions of
 * their protocol, what is done to the requests that they sign, and what one is told of an order. Exit code 1 when a
 * step answers otherwise than expected, a topic does not arrive, signed and as its schema says, a refused target is
 * called, or a manipulation is not found.
 */

const isAsExpected = ({ expected, answered }: Walked): boolean =>
  expected.status === answered.status && expected.money === answered.money;

/** Tokens are long, and tell nobody anything. */
const short = (path: string): string => path.replace(/([=/])[\w.-]{60,}/, '$1…');
const lineOf = ({ method, path, answered }: Walked): string =>
  `  ${method.padEnd(4)} ${short(path)}  ${answered.status}  ${answered.money}`.trimEnd();

const told = (isSo: boolean): string => (isSo ? 'yes' : 'NO');

/** A day of webhooks in a shop of its own: which topics arrived, signed and as their schemas say. */
const printDay = async (dataDir: string): Promise<boolean> => {
  const shop = await TestShop.open({ environment: dayEnvironment(dataDir) });
  let isWhole = true;
  try {
    console.log('\nA day in the life of a shop, as an integrator hears of it');
    console.log(`  ${'topic'.padEnd(31)}arrived  signed  as the standard  as its schema`);
    await liveADay(shop, ({ title }, arrived) => {
      console.log(`\n  ${title}`);
      for (const { topic, count, isSigned, isStandard, misfits } of arrived) {
        const cells = [isSigned, isStandard, misfits.length === 0].map(told);
        const [signed = '', standard = '', fits = ''] = cells;
        console.log(
          `  ${topic.padEnd(31)}${String(count).padEnd(9)}${signed.padEnd(8)}${standard.padEnd(17)}${fits}`,
        );
        for (const misfit of misfits) console.log(`    ${misfit}`);
        isWhole &&= count > 0 && cells.every((cell) => cell === 'yes');
      }
    });
    const { sales, refused, givenUp, replayed, isWhole: isBack } = await beDownForADay(shop);
    console.log('\n  A receiver is down for a day, then has what it missed replayed');
    console.log(`  ${sales} sales, ${refused} attempts refused, ${givenUp} given up, ${replayed} replayed`);
    console.log(`  each arrived once, signed, under its id and with its bytes: ${told(isBack)}`);
    isWhole &&= isBack;
  } finally {
    await shop.close();
  }
  return isWhole;
};

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
    const isWholeDay = await printDay(files.dataDir);
    const isKeptOut = await printRefusals();
    const isProved = await printManipulations();
    const isKeptToAgents = await printBehaviours();
    const isSignedFor = await printSignatures();
    const isLinked = await printLinkedMember();
    const isTold = await printOrderDay();
    console.log(wrong === 0 ? '\nall as expected' : `\n${wrong} steps otherwise than expected`);
    if (!isWholeDay) console.log('the day of webhooks is not whole');
    if (!isKeptOut) console.log('a target was called that is to be refused');
    if (!isProved) console.log('a manipulation of the log was not found');
    if (!isKeptToAgents) console.log('agents were answered otherwise than they may expect');
    if (!isSignedFor) console.log('a signed request was answered otherwise than it should be');
    if (!isLinked) console.log('a linked member was served otherwise than they should be');
    if (!isTold) console.log('an agent was told otherwise of its order than it should be');
    const isAll = isWholeDay && isKeptOut && isProved && isKeptToAgents && isSignedFor && isLinked && isTold;
    process.exitCode = wrong > 0 || !isAll ? 1 : 0;
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
