import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { backoffice } from './backoffice.ts';
import { milliseconds, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import { startShop, untilSettled } from './processes.ts';

const LINES = 200;
const CHANGED = 20;
const WARM_UP = 10;
const PREVIEW_MS = 30;
const CHANGE_MS = 60;

const p95 = (times: readonly number[]): number =>
  [...times].sort((one, other) => one - other)[Math.floor(times.length * 0.95)] ?? NaN;

/** An order of many lines: preview and change of a tenth of them, one after another. */
export const measureEdits = async (bench: Bench, times: number): Promise<Figure[]> => {
  const dataDir = join(bench.folder, 'edits');
  mkdirSync(dataDir);
  const shop = await startShop({
    core: bench.pinning?.server ?? null,
    dataDir,
    storeFile: bench.storeFile,
    outputFile: join(dataDir, 'shop.log'),
  });
  try {
    const desk = backoffice(shop.port);
    const id = await desk.sellByHand('edited@bench.example', LINES);
    await untilSettled(shop.port);
    const lines = await desk.linesOf(id);
    const edit = (round: number) => ({
      lineItems: lines.slice(0, CHANGED).map((line) => ({ id: line, quantity: 2 + (round % 5) })),
      orderDiscounts: round % 10 === 0 ? [{ type: 'Percentage', value: 5 }] : [],
      productsToAdd: round % 10 === 5 ? [{ productId: bench.productIds[0] }] : [],
    });
    const timed = async (work: (body: object) => Promise<unknown>): Promise<number> => {
      const took: number[] = [];
      for (let round = -WARM_UP; round < times; round++) {
        const begun = performance.now();
        await work(edit(round + WARM_UP));
        if (round >= 0) took.push(performance.now() - begun);
      }
      return p95(took);
    };
    const previewed = await timed((body) => desk.previewEdit(id, body));
    const changed = await timed((body) => desk.edit(id, body));
    const figure = (what: string, measured: number, reach: number): Figure => ({
      work: `${what} of an order of ${LINES} lines, ${CHANGED} of which change: p95`,
      measured: milliseconds(measured),
      reach: `under ${reach} ms`,
      isReached: measured < reach,
    });
    return [
      figure('preview of an edit', previewed, PREVIEW_MS),
      figure('edit, until everything has followed,', changed, CHANGE_MS),
    ];
  } finally {
    await shop.stop();
  }
};
