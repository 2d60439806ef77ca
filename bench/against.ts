import { compareHttp, compareMemory, type ComparedHttpRow } from './against-http.ts';
import { compareStarts, type ComparedStart } from './against-starts.ts';
import type { Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import { checkOut, here } from './versions.ts';

const httpRows = ['add', 'quiet', 'get', 'purchase'] as const satisfies readonly ComparedHttpRow[];
const startRows = ['start', 'replay'] as const satisfies readonly ComparedStart[];

/** What can be compared with another version. */
export const comparedRows = [...httpRows, 'memory', ...startRows] as const;

export interface AgainstOptions {
  readonly commit: string;
  /** Names of rows; those that are not compared are left out. */
  readonly only: readonly string[];
  readonly pairs: number;
  /** Length of a slice of the HTTP rows. */
  readonly seconds: number;
  /** Length of the log of the rows start and replay. */
  readonly orders: number;
}

/** Both versions in turn in one run. The ratios are this version's figure divided by the other's. */
export const measureAgainst = async (bench: Bench, options: AgainstOptions): Promise<Figure[]> => {
  const { commit, only, pairs, seconds, orders } = options;
  const { root, title } = checkOut(commit, bench.folder);
  console.log(`against ${title}: ${pairs} pairs a row; this version is what is in the working folder`);
  const sides = { this: { name: 'this', root: here }, other: { name: 'other', root } } as const;
  const comparison = { bench, sides, pairs };
  const http = httpRows.filter((name) => only.includes(name));
  const starts = startRows.filter((name) => only.includes(name));
  return [
    ...(http.length > 0 ? await compareHttp(comparison, http, seconds * 1000) : []),
    ...(only.includes('memory') ? await compareMemory(comparison) : []),
    ...(starts.length > 0 ? await compareStarts(comparison, starts, orders) : []),
  ];
};
