import { fork, type ChildProcess } from 'node:child_process';
import { compiledOnly } from '#runtime/compile-cache.ts';
import type { ReadProduct, ReadRequest } from './product-draft.ts';
import type { ExportedProduct, WriteRequest } from './write-product-rows.ts';

export type CsvTask = ({ readonly kind: 'read' } & ReadRequest) | ({ readonly kind: 'write' } & WriteRequest);

export type CsvWish =
  | { readonly kind: 'task'; readonly task: CsvTask }
  | { readonly kind: 'part'; readonly text: string }
  | { readonly kind: 'next' }
  | { readonly kind: 'sort'; readonly handles: readonly string[] }
  | { readonly kind: 'rows'; readonly products: readonly ExportedProduct[] };

/** The process that reads and writes CSV has ended, or was given up: the same file would do it again. */
export class CsvProcessEnded extends Error {
  override readonly name = 'CsvProcessEnded';
}

export interface CsvProcessOptions {
  readonly maxHeapMegabytes?: number;
  /** How long one answer may take. */
  readonly patienceMs?: number;
}

const file = new URL('./product-csv-child.ts', import.meta.url);
const usual = { maxHeapMegabytes: 256, patienceMs: 60_000 };

const start = (maxHeapMegabytes: number): ChildProcess =>
  fork(file, {
    // The process must not see the shop's keys; out of the compile cache it starts in a third of the time.
    env: compiledOnly(),
    execArgv: [`--max-old-space-size=${maxHeapMegabytes}`],
    serialization: 'advanced',
    // Its last output, such as running out of memory, is discarded.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });

const closedChannel = new Set(['EPIPE', 'ECONNRESET', 'ERR_IPC_CHANNEL_CLOSED']);

/** A process that has ended breaks its channel before its exit is known, which says why. */
const isOfAnEnd = (error: NodeJS.ErrnoException): boolean => closedChannel.has(error.code ?? '');

/**
 * A process of its own that handles requests in order and ends with the work it was started for: a hostile file may
 * kill its reader, never the shop. Errors: `CsvProcessEnded`.
 */
const withProcess = async <Done>(
  task: CsvTask,
  { maxHeapMegabytes, patienceMs }: Required<CsvProcessOptions>,
  work: (ask: (wish: CsvWish) => Promise<unknown>) => Promise<Done>,
): Promise<Done> => {
  const child = start(maxHeapMegabytes);
  const waiting: { resolve: (answer: unknown) => void; reject: (error: unknown) => void }[] = [];
  let failure: Error | null = null;
  const fail = (why: string): void => {
    failure ??= new CsvProcessEnded(why);
    for (const { reject } of waiting.splice(0)) reject(failure);
  };
  let timer: NodeJS.Timeout | undefined;
  const watch = (): void => {
    clearTimeout(timer);
    if (waiting.length === 0) return;
    timer = setTimeout(() => {
      fail(`it took more than ${patienceMs / 1000} seconds`);
      child.kill('SIGKILL');
    }, patienceMs);
  };
  child.on('message', (answer: { readonly done: unknown }) => {
    waiting.shift()?.resolve(answer.done);
    watch();
  });
  child.on('error', (error) => fail(error.message));
  child.on('exit', () => fail(`it took more than ${maxHeapMegabytes} MB of memory`));
  const ask = (wish: CsvWish): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (failure !== null) return reject(failure);
      waiting.push({ resolve, reject });
      if (waiting.length === 1) watch();
      child.send(wish, (error) => error && !isOfAnEnd(error) && fail(error.message));
    });
  try {
    await ask({ kind: 'task', task });
    return await work(ask);
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
  }
};

/** Reads a file and hands on its products a few at a time; the next are read while these are dealt with. */
export const readProducts = (
  request: ReadRequest,
  parts: AsyncIterable<string>,
  take: (products: readonly ReadProduct[]) => Promise<void>,
  options: CsvProcessOptions = {},
): Promise<void> =>
  withProcess({ kind: 'read', ...request }, { ...usual, ...options }, async (ask) => {
    for await (const text of parts) await ask({ kind: 'part', text });
    const next = (): Promise<unknown> => {
      const coming = ask({ kind: 'next' });
      // Not awaited when an earlier one fails.
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
  withProcess({ kind: 'write', ...request }, usual, async (ask) => {
    const sorted = (await ask({ kind: 'sort', handles })) as readonly string[];
    await work(sorted, async (products) => (await ask({ kind: 'rows', products })) as string);
  });
