import { InvalidArgumentError, Option, type Command } from 'commander';
import type { WhatIfAnswer, WhatIfRunAnswer } from '#contracts/what-if.contract.ts';
import { isCalendarDay } from '#values/business-day.ts';
import type { Config } from '#runtime/config.ts';
import type { RunningShop } from '#runtime/running-shop.ts';

/** Asks engines that no running shop on this machine answers for; `onShare` is told how much is done, from 0 to 1. */
export type AskWhatIf = (
  config: Config,
  body: unknown,
  onShare: (share: number) => void,
) => Promise<WhatIfAnswer>;

const day = (text: string): string => {
  if (isCalendarDay(text)) return text;
  throw new InvalidArgumentError('Must be a day of the calendar, such as 2026-03-31.');
};

interface WhatIfOptions {
  readonly discount?: string;
  readonly without?: string;
  readonly from: string;
  readonly to: string;
  readonly asAutomatic?: true;
  readonly html?: string;
  readonly json?: true;
  readonly data?: string;
}

export const addWhatIf = (program: Command, loadOffline: () => Promise<AskWhatIf>): void => {
  program
    .command('what-if')
    .description(
      'What the sales of some days would have come to with one discount rule more or less: a recalculation of the ' +
        'same baskets, not a forecast. With neither, check that they come out as recorded. Appends nothing; works ' +
        'beside a running shop or without one',
    )
    .addOption(
      new Option(
        '--discount <file>',
        'a rule that there was not: JSON as POST /discounts takes it',
      ).conflicts('without'),
    )
    .option('--without <id>', 'a rule that there was')
    .requiredOption('--from <day>', 'the first day, YYYY-MM-DD', day)
    .requiredOption('--to <day>', 'the last day, YYYY-MM-DD', day)
    .option('--as-automatic', 'take a rule with a code as one that comes by itself')
    .option('--html <file>', 'write one page with charts, which needs no network, instead of printing')
    .option('--json', 'print one JSON document')
    .option('--data <folder>', 'where the data is kept; over DATA_DIR')
    .action(async (options: WhatIfOptions) => show(await ask(options, loadOffline), options));
};

const readRule = async (file: string): Promise<unknown> => {
  const { readFile } = await import('node:fs/promises');
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new Error(`--discount ${file}: ${(error as Error).message}`);
  }
};

const bodyOf = async ({ discount, without, from, to, asAutomatic }: WhatIfOptions): Promise<object> => ({
  ...(discount !== undefined && { discount: await readRule(discount) }),
  ...(without !== undefined && { without }),
  from,
  to,
  asAutomatic: asAutomatic ?? false,
});

const ask = async (options: WhatIfOptions, loadOffline: () => Promise<AskWhatIf>): Promise<WhatIfAnswer> => {
  const [{ loadConfig }, { findRunningShop }, { progressBar }] = await Promise.all([
    import('#runtime/config.ts'),
    import('#runtime/running-shop.ts'),
    import('#runtime/progress-bar.ts'),
  ]);
  const { data } = options;
  const body = await bodyOf(options);
  const config = loadConfig(data === undefined ? {} : { overrides: { DATA_DIR: data } });
  const shop = data === undefined ? await findRunningShop(config) : null;
  const bar = progressBar('{bar} {percentage} %  {eta_formatted}');
  bar.start(1000, 0);
  const onShare = (share: number): void => bar.update(Math.round(share * 1000));
  try {
    return shop ? await askShop(shop, body, onShare) : await (await loadOffline())(config, body, onShare);
  } finally {
    bar.stop();
  }
};

const LOOK_EVERY_MILLISECONDS = 250;

/** Has a running shop do it, and calls it off there with Ctrl-C. */
export const askShop = async (
  shop: RunningShop,
  body: object,
  onShare: (share: number) => void,
): Promise<WhatIfAnswer> => {
  const { setTimeout: pause } = await import('node:timers/promises');
  const { id } = (await shop.call('POST', '/what-if', body)) as { id: string };
  const callOff = (): void => {
    void shop
      .call('DELETE', `/what-if/${id}`)
      .catch(() => undefined)
      .finally(() => process.exit(130));
  };
  process.once('SIGINT', callOff);
  try {
    for (;;) {
      const { status, message, progress, result } = (await shop.call(
        'GET',
        `/what-if/${id}`,
      )) as WhatIfRunAnswer;
      if (result !== null) return result;
      if (status === 'Failed') throw new Error(`The what-if failed: ${message ?? 'no reason given'}`);
      onShare(progress.share);
      await pause(LOOK_EVERY_MILLISECONDS);
    }
  } finally {
    process.off('SIGINT', callOff);
  }
};

const show = async (answer: WhatIfAnswer, { html, json }: WhatIfOptions): Promise<void> => {
  if (html !== undefined) await writePage(answer, html);
  if (json) process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
  else if (html === undefined) {
    const { printWhatIf } = await import('./print-what-if.ts');
    process.stdout.write(printWhatIf(answer));
  }
};

const writePage = async (answer: WhatIfAnswer, file: string): Promise<void> => {
  const [{ writeFile }, { whatIfPage }] = await Promise.all([
    import('node:fs/promises'),
    import('./what-if-page.ts'),
  ]);
  try {
    await writeFile(file, whatIfPage(answer));
  } catch (error) {
    throw new Error(`The page could not be written to ${file}: ${(error as Error).message}`);
  }
  process.stderr.write(`The page is in ${file}: open it in a browser.\n`);
};
