// Reads and writes product files in a thread of its own: while the shop sells, nobody waits for it.
import { stringify } from 'csv-stringify/sync';
import { parentPort, workerData } from 'node:worker_threads';
import { csvRecords } from './csv-records.ts';
import type { CsvTask, CsvWish } from './csv-thread.ts';
import type { ReadProduct } from './product-draft.ts';
import { columnsOf, lineBreak } from './product-csv.ts';
import { createProductReader } from './read-product-rows.ts';
import { rowsOfProduct, type ExportedProduct } from './write-product-rows.ts';

/** So many rows go back at once. */
const ROWS_AT_ONCE = 400;

const task = workerData as CsvTask;

async function* readAll(parts: readonly string[]): AsyncGenerator<ReadProduct> {
  if (task.kind !== 'read') return;
  const reader = createProductReader(task);
  for await (const record of csvRecords(parts)) {
    if ('severity' in record) yield { draft: null, issues: [record], rows: 0 };
    else yield* reader.take(record);
  }
  yield* reader.end();
}

const parts: string[] = [];
let reading: AsyncGenerator<ReadProduct> | null = null;

/** The next products, as many as make the rows of an answer; empty at the end. */
const nextProducts = async (): Promise<readonly ReadProduct[]> => {
  reading ??= readAll(parts);
  const found: ReadProduct[] = [];
  for (let rows = 0; rows < ROWS_AT_ONCE;) {
    const { value, done } = await reading.next();
    if (done) break;
    found.push(value);
    rows += value.rows + value.issues.length;
  }
  return found;
};

const written = (products: readonly ExportedProduct[]): string => {
  const rows = products.flatMap((product) => rowsOfProduct(product, task));
  return stringify(products.length === 0 ? [[...columnsOf(task.profile)]] : rows, {
    record_delimiter: 'windows',
    quoted_match: lineBreak,
  });
};

const answer = async (wish: CsvWish): Promise<unknown> => {
  switch (wish.kind) {
    case 'part':
      return void parts.push(wish.text);
    case 'next':
      return nextProducts();
    case 'sort':
      return wish.handles.toSorted();
    case 'rows':
      return written(wish.products);
  }
};

parentPort?.on('message', (wish: CsvWish) => {
  void answer(wish).then((done) => parentPort?.postMessage(done));
});
