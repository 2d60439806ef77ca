import type { Config } from '#runtime/config.ts';
import { decimalsOf } from '#values/currency.ts';
import type { StaffCounts } from '../simulation/after-sales.ts';
import type { WonBackCounts } from '../simulation/coming-back.ts';
import type { SimulationProgress, VisitCounts } from '../simulation/simulate.ts';

export interface SimulationWish {
  readonly orders: number;
  readonly days: number;
  readonly seed: number;
  /** Who is told of everything that happens, by webhooks. */
  readonly webhook?: string;
  /** Where there is a log already, nothing is simulated, and that is said instead of refused. */
  readonly keep?: boolean;
}

/** What the reports say of a month: `YYYY-MM`, and its sales as a decimal number of the store's currency. */
export interface MonthOfSales {
  readonly month: string;
  readonly orders: number;
  readonly sales: number;
}

export interface SimulationReport {
  readonly counters: VisitCounts;
  readonly wonBack: WonBackCounts;
  readonly staff: StaffCounts;
  readonly months: readonly MonthOfSales[];
  /** The same months once everything that is sent back has come. */
  readonly afterReturns: readonly MonthOfSales[];
  readonly currency: string;
  /** In the log. */
  readonly events: number;
}

/** Told how far a simulation is; `onReplay` when the read models are being filled. */
export interface Watcher {
  onProgress(progress: SimulationProgress): void;
  onReplay(): void;
}

/** A simulation begins with an empty log. The message says what to do. */
export class LogIsThere extends Error {
  override readonly name = 'LogIsThere';
  /** What there is, for those who are content with it. */
  readonly kept: string;

  constructor(folder: string, events: number, isUnfinished: boolean) {
    const what = `${events} events${isUnfinished ? ' of a simulation that was interrupted' : ''}`;
    super(
      `There is a log of ${what} in ${folder} already, and a simulation begins with an empty one. ` +
        'Delete that folder, or name another one with --data.',
    );
    const lacks = isUnfinished ? ' Later days and orders are missing.' : '';
    this.kept = `Kept the log of ${what} that is in ${folder}.${lacks} For a new one delete that folder first.\n`;
  }
}

/** Simulates in engines that no other process has open. Throws `LogIsThere` when their log is not empty. */
export type SimulateShop = (
  config: Config,
  wish: SimulationWish,
  watcher: Watcher,
) => Promise<SimulationReport>;

const BAR = 40;

const grouped = (value: number, decimals = 0): string =>
  value.toLocaleString('en-GB', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });

/** One line a month: its sales as a bar, and in figures. */
export const chartOf = (months: readonly MonthOfSales[], currency: string): string => {
  const highest = Math.max(...months.map(({ sales }) => sales), 1);
  const amounts = months.map(({ sales }) => grouped(sales, decimalsOf(currency)));
  const orders = months.map((month) => grouped(month.orders));
  const width = (texts: readonly string[]): number => Math.max(0, ...texts.map(({ length }) => length));
  const lines = months.map(({ month, sales }, index) => {
    const bar = '#'.repeat(Math.round((sales / highest) * BAR)).padEnd(BAR);
    const amount = (amounts[index] ?? '').padStart(width(amounts));
    return `  ${month}  ${bar}  ${amount} ${currency}  ${(orders[index] ?? '').padStart(width(orders))} orders\n`;
  });
  return lines.join('');
};

const refusals = ({ refused }: VisitCounts): string => {
  const codes = Object.entries(refused).map(([code, count]) => `${grouped(count)} × ${code}`);
  return codes.length === 0 ? '' : `  turned away by the shop: ${codes.join(', ')}\n`;
};

/** What a simulation ends with: the visits, and the sales by month. */
export const summaryOf = (report: SimulationReport, seconds: number): string => {
  const { counters, wonBack, staff, months, afterReturns, currency, events } = report;
  const { visits, orders, throughAgents, left, declined } = counters;
  const { abandoned, cameBack, bought } = wonBack;
  const { phoneOrders, shipped, cancelled, edited, returns, refunds } = staff;
  const speed = grouped(orders / Math.max(seconds, 0.001));
  return (
    `${grouped(orders)} orders from ${grouped(visits)} visits in ${grouped(seconds, 1)} s (${speed} orders/s); ` +
    `${grouped(events)} events in the log.\n` +
    `  left without buying: ${grouped(left)}; declined and gone: ${grouped(declined)}; by telephone: ${grouped(phoneOrders)}; through agents: ${grouped(throughAgents)}; sent off: ${grouped(shipped)}; cancelled: ${grouped(cancelled)}; edited: ${grouped(edited)}\n` +
    `  abandoned checkouts: ${grouped(abandoned)}; back by their link: ${grouped(cameBack)}, of whom ${grouped(bought)} bought\n` +
    `${refusals(counters)}Sales by month:\n${chartOf(months, currency)}` +
    `Sales by month after ${grouped(returns)} returns (${grouped(refunds)} refunds in all):\n` +
    chartOf(afterReturns, currency)
  );
};

/** Runs a simulation behind a progress bar with orders per second and an estimate; returns what to print. */
export const runSimulation = async (
  simulateShop: SimulateShop,
  config: Config,
  wish: SimulationWish,
): Promise<string> => {
  const { progressBar } = await import('#runtime/progress-bar.ts');
  const bar = progressBar('{bar} {value}/{total} orders  {speed} orders/s  {eta_formatted}');
  const begun = performance.now();
  const seconds = (): number => (performance.now() - begun) / 1000;
  let simulated = 0;
  bar.start(wish.orders, 0, { speed: 0 });
  try {
    const report = await simulateShop(config, wish, {
      onProgress: ({ orders }) => bar.update(orders, { speed: Math.round(orders / seconds()) }),
      onReplay: () => {
        simulated = seconds();
        bar.stop();
        process.stderr.write('Filling the read models …\n');
      },
    });
    return summaryOf(report, simulated);
  } catch (error) {
    if (wish.keep && error instanceof LogIsThere) return error.kept;
    throw error;
  } finally {
    bar.stop();
  }
};
