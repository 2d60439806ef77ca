import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CountedDeliveries } from './count-deliveries.ts';
import { milliseconds, seconds, whole, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import { runModule } from './workers.ts';

const WITHIN_MS = 20;

/** Figures and pages of the log of deliveries, over HTTP, when it is long. */
export const measureDeliveryFigures = async (bench: Bench, deliveries: number): Promise<Figure[]> => {
  const folder = join(bench.folder, 'delivery-figures');
  mkdirSync(folder);
  const begun = performance.now();
  const args = [folder, String(deliveries), bench.isQuick ? '100' : '300'];
  const core = bench.pinning?.server ?? null;
  const { rolledUpMs, took } = await runModule<CountedDeliveries>(core, './count-deliveries.ts', args);
  for (const { question, p50, p99 } of took)
    bench.say(`delivery figures: ${question}: median ${milliseconds(p50)}, p99 ${milliseconds(p99)}`);
  bench.say(
    `delivery figures: rolled up in ${seconds(rolledUpMs)}, all in ${seconds(performance.now() - begun)}`,
  );
  const slowest = (prefix: string): number =>
    Math.max(...took.filter(({ question }) => question.includes(prefix)).map(({ p99 }) => p99));
  return (
    [
      ['GET /webhooks/stats', 'webhooks/stats'],
      ['GET /webhooks/series', 'webhooks/series'],
      ['GET /webhooks/{id}/deliveries, filtered and not', '/deliveries'],
    ] as const
  ).map(([work, prefix]) => ({
    work: `${work}, ${whole(deliveries)} deliveries: p99 of the slowest`,
    measured: milliseconds(slowest(prefix)),
    reach: `under ${milliseconds(WITHIN_MS)}`,
    isReached: slowest(prefix) < WITHIN_MS,
  }));
};
