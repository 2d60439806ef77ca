import type { Command } from 'commander';
import type { WhyResponse } from '#contracts/why.contract.ts';
import { defined } from '#kernel/defined.ts';
import type { Config } from '#runtime/config.ts';

/** What answers queries of the management API: a running shop, or its engines. */
export interface WhySource {
  ask(path: string): Promise<unknown>;
  close(): Promise<void>;
}

/** Opens the views that explain one, in engines that no running shop on this machine answers for. */
export type OpenWhy = (config: Config, view: string) => Promise<WhySource>;

interface WhyOptions {
  readonly figure?: string;
  readonly asOf?: string;
  readonly json?: true;
  readonly data?: string;
}

export const addWhy = (program: Command, loadWhy: () => Promise<OpenWhy>): void => {
  program
    .command('why')
    .description(
      'The events behind a figure, each with what it contributed; works beside a running shop or without one',
    )
    .argument(
      '<view>',
      'as `tillroll projections list` shows it, such as orders, stockLevels or salesJournal',
    )
    .argument('<key>', 'the id of the document; of salesJournal also a day, such as 2026-03-31')
    .option('--figure <path>', 'a number of the document, such as balance.amountPaid; default: the main one')
    .option('--as-of <when>', 'as it was then: the end of a day, or an instant such as 2026-03-31T18:00Z')
    .option('--json', 'print one JSON document')
    .option('--data <folder>', 'where the data is kept; over DATA_DIR')
    .action(async (view: string, key: string, options: WhyOptions) => {
      const why = await readWhy(view, key, options, loadWhy);
      if (options.json) process.stdout.write(`${JSON.stringify(why, null, 2)}\n`);
      else {
        const { printWhy } = await import('./print-why.ts');
        process.stdout.write(printWhy(view, key, why));
      }
    });
};

const MAX_PAGE = 1000;

/** All of its pages. Errors: those of the source, and `Error` that says what to do. */
export const readWhy = async (
  view: string,
  key: string,
  { figure, asOf, data }: WhyOptions,
  loadWhy: () => Promise<OpenWhy>,
): Promise<WhyResponse> => {
  const [{ loadConfig }, { findRunningShop }] = await Promise.all([
    import('#runtime/config.ts'),
    import('#runtime/running-shop.ts'),
  ]);
  const config = loadConfig(data === undefined ? {} : { overrides: { DATA_DIR: data } });
  const shop = data === undefined ? await findRunningShop(config) : null;
  const source: WhySource = shop
    ? { ask: (path) => shop.call('GET', path), close: () => Promise.resolve() }
    : await (
        await loadWhy()
      )(config, view);
  const path = `/audit/why/${encodeURIComponent(view)}/${encodeURIComponent(key)}`;
  const asked = { ...defined({ figure, asOf }), limit: String(MAX_PAGE) };
  const pageBehind = async (position: number): Promise<WhyResponse> =>
    (await source.ask(
      `${path}?${new URLSearchParams({ ...asked, position: String(position) })}`,
    )) as WhyResponse;
  try {
    let why = await pageBehind(0);
    while (why.next !== null) {
      const page = await pageBehind(why.next);
      why = { ...page, items: [...why.items, ...page.items] };
    }
    return why;
  } finally {
    await source.close();
  }
};
