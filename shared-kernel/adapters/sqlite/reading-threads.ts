import { EngineUnavailable } from '#ports/engine-errors.ts';
import { WorkerPool } from '#runtime/worker-pool.ts';
import type { Sql } from './document-query.ts';

/** What a reading thread says. */
export type Reading = { readonly texts: readonly string[] } | { readonly failed: string };

interface Waiting {
  readonly begin: () => void;
  readonly reject: (error: Error) => void;
}

/** The most full searches at once; further ones wait until one is done. */
const MAX_THREADS = 4;
/** Beyond that callers are refused at once. */
const MAX_WAITING = 100;

/** Reads that may take long, in threads of their own, so that the event loop has its hands free. */
export class ReadingThreads {
  readonly #threads: WorkerPool<Sql, Reading>;
  readonly #waiting: Waiting[] = [];
  #reading = 0;
  #isClosed = false;

  constructor(entry: URL, file: string) {
    const lost = (reason: unknown): Error =>
      new EngineUnavailable(`the document store cannot be read: ${String(reason)}`);
    this.#threads = new WorkerPool({ entry, workerData: { file }, lost });
  }

  /** JSON texts, in the order of the query. Errors: `EngineUnavailable`. */
  async ask(question: Sql): Promise<readonly string[]> {
    if (this.#isClosed) throw new EngineUnavailable('the document store is closed');
    if (this.#waiting.length >= MAX_WAITING)
      throw new EngineUnavailable('too many long reads of the document store are waiting');
    if (this.#reading < MAX_THREADS) this.#reading++;
    else await new Promise<void>((begin, reject) => this.#waiting.push({ begin, reject }));
    try {
      const reading = await this.#threads.ask(question);
      if ('failed' in reading) throw new EngineUnavailable(reading.failed);
      return reading.texts;
    } finally {
      const next = this.#waiting.shift();
      if (next) next.begin();
      else this.#reading--;
    }
  }

  /** Lets the reads that are under way end; those that wait are refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.splice(0))
      reject(new EngineUnavailable('the document store is closed'));
    await this.#threads.close();
  }
}
