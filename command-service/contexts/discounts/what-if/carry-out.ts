import { setImmediate as letOthersGo } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { createKeylessDecoder } from '#log/codec.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { EventStore } from '#ports/event-store.ts';
import type { EventStoreChoice } from '#runtime/config-engines.ts';
import type { WhatIfResult } from './replay-sales.ts';
import { runWhatIf, type WhatIfProgress, type WhatIfQuestion } from './run-what-if.ts';

/** What the thread is started with. */
export interface ThreadData {
  readonly events: EventStoreChoice;
  readonly question: WhatIfQuestion;
}

/** What the thread says. */
export type ThreadWord =
  | { readonly kind: 'progress'; readonly progress: WhatIfProgress }
  | { readonly kind: 'result'; readonly result: WhatIfResult }
  | { readonly kind: 'failed'; readonly message: string; readonly isUnavailable: boolean };

export interface Watched {
  readonly onProgress: (progress: WhatIfProgress) => void;
  readonly signal: AbortSignal;
}

/** Errors: `EngineUnavailable`; the signal's reason. */
export type CarryOut = (question: WhatIfQuestion, watched: Watched) => Promise<WhatIfResult>;

/** Rules, products and baskets in checkout: a log that needs more ends its run, not the shop. */
const resourceLimits = { maxOldGenerationSizeMb: 1024 };

/** In a thread with a connection of its own, at a lower priority than shopping. */
export const inThread =
  (entry: URL, events: EventStoreChoice): CarryOut =>
  (question, { onProgress, signal }) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const workerData: ThreadData = { events, question };
      const worker = new Worker(entry, { workerData, resourceLimits });
      const stop = (): void => {
        reject(signal.reason as Error);
        void worker.terminate();
      };
      signal.addEventListener('abort', stop, { once: true });
      worker.on('message', (word: ThreadWord) => {
        if (word.kind === 'progress') return onProgress(word.progress);
        if (word.kind === 'result') return resolve(word.result);
        reject(word.isUnavailable ? new EngineUnavailable(word.message) : new Error(word.message));
      });
      worker.on('error', reject);
      worker.on('exit', () => {
        signal.removeEventListener('abort', stop);
        reject(new Error('the thread has ended'));
      });
    });

/** In this thread, a page of the log at a time: for a log that no thread beside it can open. */
export const here =
  (store: EventStore): CarryOut =>
  (question, watched) => {
    const reading: Pick<EventStore, 'readAll' | 'readStream' | 'head'> = {
      head: () => store.head(),
      readStream: (stream, options) => store.readStream(stream, options),
      readAll: async (after, limit, types) => {
        await letOthersGo();
        return store.readAll(after, limit, types);
      },
    };
    return runWhatIf({ store: reading, decoder: createKeylessDecoder(store), ...watched }, question);
  };
