import { Worker } from 'node:worker_threads';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { Sql } from './document-query.ts';

/** What a reading thread says. */
export type Reading = { readonly texts: readonly string[] } | { readonly failed: string };

interface Waiting {
  readonly question: Sql;
  readonly resolve: (texts: readonly string[]) => void;
  readonly reject: (error: Error) => void;
}

interface ReadingThread {
  readonly worker: Worker;
  /** The question that it is at. */
  current: Waiting | null;
  onClosed: (() => void) | null;
}

/** So many searches through everything at once; who comes then waits until one is done. */
const MAX_THREADS = 4;
/** Beyond that nobody waits in vain. */
const MAX_WAITING = 100;

/**
 * Reads that may take long, in threads of their own, so that the event loop has its hands free. A thread is started
 * when it is first wanted and answers one question at a time. Should it die, the next question starts another one.
 */
export class ReadingThreads {
  readonly #entry: URL;
  readonly #file: string;
  readonly #threads = new Set<ReadingThread>();
  readonly #waiting: Waiting[] = [];
  #isClosed = false;

  constructor(entry: URL, file: string) {
    this.#entry = entry;
    this.#file = file;
  }

  /** JSON texts, in the order of the query. Errors: `EngineUnavailable`. */
  ask(question: Sql): Promise<readonly string[]> {
    if (this.#isClosed) return Promise.reject(new EngineUnavailable('the document store is closed'));
    if (this.#waiting.length >= MAX_WAITING)
      return Promise.reject(new EngineUnavailable('too many long reads of the document store are waiting'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, resolve, reject });
      this.#assign();
    });
  }

  /** Lets the reads that are under way end; those that wait are refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.splice(0))
      reject(new EngineUnavailable('the document store is closed'));
    await Promise.all(
      [...this.#threads].map(
        (thread) =>
          new Promise<void>((resolve) => {
            thread.onClosed = resolve;
            thread.worker.ref();
            thread.worker.postMessage('close');
          }),
      ),
    );
  }

  #assign(): void {
    const free = [...this.#threads].find(({ current }) => current === null);
    const thread = free ?? (this.#threads.size < MAX_THREADS ? this.#start() : null);
    if (thread === null) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    thread.current = next;
    thread.worker.ref();
    thread.worker.postMessage(next.question);
  }

  #start(): ReadingThread {
    const worker = new Worker(this.#entry, { workerData: { file: this.#file } });
    const thread: ReadingThread = { worker, current: null, onClosed: null };
    let reason = 'the reading thread ended';
    // An idle thread keeps no process alive.
    worker.on('message', (reading: Reading) => {
      const asked = thread.current;
      thread.current = null;
      worker.unref();
      if ('texts' in reading) asked?.resolve(reading.texts);
      else asked?.reject(new EngineUnavailable(reading.failed));
      if (this.#waiting.length > 0) this.#assign();
    });
    worker.on('error', (error) => (reason = String(error)));
    worker.on('exit', () => {
      this.#threads.delete(thread);
      thread.current?.reject(new EngineUnavailable(`the document store cannot be read: ${reason}`));
      thread.current = null;
      thread.onClosed?.();
      if (this.#waiting.length > 0) this.#assign();
    });
    this.#threads.add(thread);
    return thread;
  }
}
