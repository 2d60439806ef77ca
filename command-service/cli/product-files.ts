import { createWriteStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { z } from 'zod';
import type { issueList, runResponse } from '#contracts/product-sync.contract.ts';
import { pause } from '#runtime/back-off.ts';
import type { RunningShop } from '#runtime/running-shop.ts';

type Run = z.output<typeof runResponse>;
type Issues = z.output<typeof issueList>;

export interface ProductFileWish {
  readonly profile: 'strict' | 'extended';
  /** Only says what is wrong with the file. */
  readonly dryRun?: boolean;
}

/** Told how far a run is, until it is over. */
export type WatchRun = (run: Run) => void;

/** What there is to print of a run, and whether it did what was asked. */
export interface RunReport {
  readonly text: string;
  readonly isDone: boolean;
}

const path = '/product-sync';
const LOOK_EVERY_MS = 500;
/** More are told by `GET /product-sync/runs/{id}/issues`. */
const MAX_ISSUES = 50;

const untilOver = async (shop: RunningShop, begun: Run, watch: WatchRun): Promise<Run> => {
  let run = begun;
  while (run.status === 'Queued' || run.status === 'Running') {
    await pause(LOOK_EVERY_MS);
    run = (await shop.call('GET', `${path}/runs/${run.id}`)) as Run;
    watch(run);
  }
  return run;
};

const placeOf = ({ line, column }: Issues['items'][number]): string =>
  [...(line === null ? [] : [`line ${line}`]), ...(column === null ? [] : [column])].join(', ') || 'the file';

const issuesOf = async (shop: RunningShop, { id, errorCount, warningCount }: Run): Promise<string> => {
  if (errorCount + warningCount === 0) return '';
  const { items, totalItems } = (await shop.call(
    'GET',
    `${path}/runs/${id}/issues?pageSize=${MAX_ISSUES}`,
  )) as Issues;
  const lines = items.map((issue) => `  ${issue.severity} in ${placeOf(issue)}: ${issue.message}\n`);
  const more = totalItems - items.length;
  const rest = more > 0 ? `  and ${more} more: GET ${path}/runs/${id}/issues\n` : '';
  return `${lines.join('')}${rest}`;
};

/** Sends a file to the running shop and watches the import. Errors: with what the shop refuses. */
export const importProductFile = async (
  shop: RunningShop,
  file: string,
  { profile, dryRun = false }: ProductFileWish,
  watch: WatchRun = () => undefined,
): Promise<RunReport> => {
  const query = `profile=${profile}&dryRun=${dryRun}`;
  const begun = await shop.send(`${path}/imports/start?${query}`, await readFile(file), 'text/csv');
  const run = await untilOver(shop, begun as Run, watch);
  const { total, created, changed, unchanged, variantsRemoved } = run;
  const figures = dryRun
    ? `${total} rows.\n`
    : `${total} rows: ${created} products created, ${changed} changed, ${unchanged} as they were; ` +
      `${variantsRemoved} variants removed.\n`;
  return {
    text: `${run.message ?? run.status}\n${figures}${await issuesOf(shop, run)}`,
    isDone: run.status === 'Completed' && run.errorCount === 0,
  };
};

/** Lets the running shop write all its products, and keeps what it wrote in a file that is not there yet. */
export const exportProductFile = async (
  shop: RunningShop,
  file: string,
  { profile }: ProductFileWish,
  watch: WatchRun = () => undefined,
): Promise<RunReport> => {
  const output = createWriteStream(file, { flags: 'wx' });
  // Opened first: no reader waits for an export that cannot be stored.
  await new Promise<void>((resolve, reject) => output.once('open', () => resolve()).once('error', reject));
  const begun = (await shop.call('POST', `${path}/exports/start?profile=${profile}`)) as Run;
  const run = await untilOver(shop, begun, watch);
  const isDone = run.status === 'Completed';
  if (isDone) await pipeline(await shop.read(`${path}/runs/${run.id}/download`), output);
  else {
    output.destroy();
    await rm(file);
  }
  return {
    text: `${run.message ?? run.status}\n${run.total} rows in ${file}.\n${await issuesOf(shop, run)}`,
    isDone,
  };
};
