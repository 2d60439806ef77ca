import { Worker, type ResourceLimits } from 'node:worker_threads';

export interface WorkerPoolOptions {
  /** The module that a thread runs: it answers each message with another, and ends on `close`. */
  readonly entry: URL;
  readonly workerData?: unknown;
  /** Default: those of Node. */
  readonly resourceLimits?: ResourceLimits;
  /** The error for callers of a worker that has died. */
  readonly lost: (reason: unknown) => Error;
  /** Called for every thread that died. */
  readonly onLost?: (reason: unknown) => void;
}

interface Waiting<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

interface PoolWorker<Answer> {
  readonly worker: Worker;
  /** The caller of the question under way. */
  current: Waiting<Answer> | null;
  onClosed: (() => void) | null;
}

/**
 * Threads that answer one question at a time each, started on first use. If one dies, its callers get an error, and the
 * next question starts another.
 */
export class WorkerPool<Question, Answer> {
  readonly #options: WorkerPoolOptions;
  readonly #threads = new Set<PoolWorker<Answer>>();

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /** Callers limit how many run at once. */
  ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const thread = [...this.#threads].find(({ current }) => current === null) ?? this.#start();
      thread.current = { resolve, reject };
      thread.worker.ref();
      thread.worker.postMessage(question);
    });
  }

  /** Waits for work under way. */
  async close(): Promise<void> {
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

  #start(): PoolWorker<Answer> {
    const { entry, workerData, resourceLimits = {}, lost, onLost } = this.#options;
    const worker = new Worker(entry, { workerData, resourceLimits });
    const thread: PoolWorker<Answer> = { worker, current: null, onClosed: null };
    let reason: unknown = 'the thread has ended';
    worker.on('message', (answer: Answer) => {
      const asked = thread.current;
      thread.current = null;
      // An idle thread keeps no process alive.
      if (thread.onClosed === null) worker.unref();
      asked?.resolve(answer);
    });
    worker.on('error', (error) => (reason = error));
    worker.on('exit', () => {
      this.#threads.delete(thread);
      if (thread.onClosed === null) onLost?.(reason);
      thread.current?.reject(lost(reason));
      thread.current = null;
      thread.onClosed?.();
    });
    this.#threads.add(thread);
    return thread;
  }
}
