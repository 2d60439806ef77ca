import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { EngineChoices } from '#runtime/config-engines.ts';
import { WorkerPool } from '#runtime/worker-pool.ts';
import { answerPage } from './answer-page.ts';
import type { Export, ExportSources, PageAnswer, PageQuestion } from './export.ts';

/** Reads pages one at a time. Errors: `EngineUnavailable`. */
export interface PageReader {
  read(question: PageQuestion): Promise<PageAnswer>;
  /** Waits for the page under way. */
  close(): Promise<void>;
}

/** What the thread is started with: the engines that it opens, and the key to what is encrypted in the log. */
export interface ThreadData {
  readonly engines: Pick<EngineChoices, 'events' | 'read' | 'state'>;
  readonly applicationKey: Uint8Array;
}

/** What the thread says. */
export type ThreadAnswer = PageAnswer | { readonly failed: string; readonly isUnavailable: boolean };

/** Rows live as long as a page: a small young generation does, in less memory. */
const resourceLimits = { maxYoungGenerationSizeMb: 8 };

/** Pages are read in a thread that has connections of its own, at a lower priority than shopping. */
export const readInThread = (entry: URL, data: ThreadData): PageReader => {
  const lost = (reason: unknown): Error => new EngineUnavailable(`an export broke off: ${String(reason)}`);
  const threads = new WorkerPool<PageQuestion, ThreadAnswer>({
    entry,
    workerData: data,
    resourceLimits,
    lost,
  });
  let last: Promise<unknown> = Promise.resolve();
  const ask = async (question: PageQuestion): Promise<PageAnswer> => {
    const answer = await threads.ask(question);
    if (!('failed' in answer)) return answer;
    throw answer.isUnavailable ? new EngineUnavailable(answer.failed) : new Error(answer.failed);
  };
  return {
    read: (question) => {
      // Exports take turns, so that one thread is enough.
      const answer = last.then(() => ask(question));
      last = answer.catch(() => undefined);
      return answer;
    },
    close: async () => {
      await last;
      await threads.close();
    },
  };
};

/** The same in this thread: for engines that no thread beside it can open. */
export const readHere = (exports: readonly Export[], sources: ExportSources): PageReader => ({
  read: (question) => answerPage(exports, sources, question),
  close: () => Promise.resolve(),
});
