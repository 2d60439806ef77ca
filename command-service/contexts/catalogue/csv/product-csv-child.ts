// Reads and writes product files in a process of its own: shoppers never wait for it, and it cannot take the shop
// down.
import { csvLine } from '#values/csv.ts';
import { csvRecords } from './csv-records.ts';
import type { CsvTask, CsvWish } from './csv-process.ts';
import type { ReadProduct } from './product-draft.ts';
import { columnsOf } from './product-csv.ts';
import { createProductReader } from './read-product-rows.ts';
import { rowsOfProduct, type ExportedProduct } from './write-product-rows.ts';

/** Returns this many rows at a time. */
const ROWS_AT_ONCE = 400;

async function* readAll(task: CsvTask, parts: readonly string[]): AsyncGenerator<ReadProduct> {
  if (task.kind !== 'read') return;
  const reader = createProductReader(task);
  for await (const record of csvRecords(parts)) {
    if ('severity' in record) yield { draft: null, issues: [record], rows: 0 };
    else yield* reader.take(record);
  }
  yield* reader.end();
}

let task: CsvTask | null = null;
const parts: string[] = [];
let reading: AsyncGenerator<ReadProduct> | null = null;

/** The next products, as many as make the rows of an answer; empty at the end. */
const nextProducts = async (given: CsvTask): Promise<readonly ReadProduct[]> => {
  reading ??= readAll(given, parts);
  const found: ReadProduct[] = [];
  for (let rows = 0; rows < ROWS_AT_ONCE;) {
    const { value, done } = await reading.next();
    if (done) break;
    found.push(value);
    rows += value.rows + value.issues.length;
  }
  return found;
};

const written = (given: CsvTask, products: readonly ExportedProduct[]): string => {
  const rows = products.flatMap((product) => rowsOfProduct(product, given));
  return (products.length === 0 ? [columnsOf(given.profile)] : rows).map(csvLine).join('');
};

const answer = async (wish: CsvWish): Promise<unknown> => {
  if (wish.kind === 'task') return void (task = wish.task);
  if (task === null) throw new Error('the task comes first');
  switch (wish.kind) {
    case 'part':
      return void parts.push(wish.text);
    case 'next':
      return nextProducts(task);
    case 'sort':
      return wish.handles.toSorted();
    case 'rows':
      return written(task, wish.products);
  }
};

process.on('message', (wish: CsvWish) => {
  void answer(wish).then((done) => process.send?.({ done }));
});
// The shop has gone away.
process.on('disconnect', () => process.exit());
