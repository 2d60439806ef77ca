import { Worker } from 'node:worker_threads';
import type { ReadProduct, ReadRequest } from './product-draft.ts';
import type { ExportedProduct, WriteRequest } from './write-product-rows.ts';

export type CsvTask = ({ readonly kind: 'read' } & ReadRequest) | ({ readonly kind: 'write' } & WriteRequest);

export type CsvWish =
  | { readonly kind: 'part'; readonly text: string }
  | { readonly kind: 'next' }
  | { readonly kind: 'sort'; readonly handles: readonly string[] }
  | { readonly kind: 'rows'; readonly products: readonly ExportedProduct[] };

const file = new URL('./product-csv-worker.ts', import.meta.url);
const MAX_HEAP_MEGABYTES = 256;

/** A thread that answers wishes in order, and goes away with the work that it is for. */
const withThread = async <Done>(
  task: CsvTask,
  work: (ask: (wish: CsvWish) => Promise<unknown>) => Promise<Done>,
): Promise<Done> => {
  const thread = new Worker(file, {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MEGABYTES },
  });
  const waiting: { resolve: (answer: unknown) => void; reject: (error: unknown) => void }[] = [];
  let failure: unknown = null;
  const fail = (error: unknown): void => {
    failure = error;
    for (const { reject } of waiting.splice(0)) reject(error);
  };
  thread.on('message', (answer) => waiting.shift()?.resolve(answer));
  thread.on('error', fail);
  thread.on('exit', () => fail(new Error('the thread that reads and writes CSV files has ended')));
  const ask = (wish: CsvWish): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (failure !== null) return reject(failure as Error);
      waiting.push({ resolve, reject });
      thread.postMessage(wish);
    });
  try {
    return await work(ask);
  } finally {
    await thread.terminate();
  }
};

/** Reads a file and hands on its products a few at a time; the next are read while these are dealt with. */
export const readProducts = (
  request: ReadRequest,
  parts: AsyncIterable<string>,
  take: (products: readonly ReadProduct[]) => Promise<void>,
): Promise<void> =>
  withThread({ kind: 'read', ...request }, async (ask) => {
    for await (const text of parts) await ask({ kind: 'part', text });
    const next = (): Promise<unknown> => {
      const coming = ask({ kind: 'next' });
      // Nobody waits for it where those before it fail.
      coming.catch(() => undefined);
      return coming;
    };
    for (let coming = next(); ;) {
      const products = (await coming) as readonly ReadProduct[];
      if (products.length === 0) return;
      coming = next();
      await take(products);
    }
  });

/** CSV of the products; the header, of none. */
export type RowsOf = (products: readonly ExportedProduct[]) => Promise<string>;

/** Sorts the handles, and writes the products that the work asks for as CSV. */
export const writeProducts = (
  request: WriteRequest,
  handles: readonly string[],
  work: (sorted: readonly string[], rowsOf: RowsOf) => Promise<void>,
): Promise<void> =>
  withThread({ kind: 'write', ...request }, async (ask) => {
    const sorted = (await ask({ kind: 'sort', handles })) as readonly string[];
    await work(sorted, async (products) => (await ask({ kind: 'rows', products })) as string);
  });
