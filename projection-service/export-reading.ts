// The entry of a thread that reads exports.
import { flushCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { lowerPriority } from '#runtime/low-priority.ts';
import { openForReading } from '../shared-kernel/open-engines.ts';
import { answerPage } from './engine/exports/answer-page.ts';
import type { PageQuestion } from './engine/exports/export.ts';
import type { ThreadAnswer, ThreadData } from './engine/exports/page-readers.ts';
import { exportsOfViews } from './exports.ts';

const port = parentPort;
if (port === null) throw new Error('export-reading.ts runs in a worker thread only');
lowerPriority();
const readStore = await openForReading((workerData as ThreadData).read);
// For the next start: a kill leaves no time for it.
flushCompileCache();

const answer = async (question: PageQuestion): Promise<void> => {
  try {
    const page = await answerPage(exportsOfViews, { readStore }, question);
    port.postMessage(page satisfies ThreadAnswer, [page.text.buffer]);
  } catch (error) {
    const failed = error instanceof Error ? error.message : String(error);
    port.postMessage({ failed, isUnavailable: error instanceof EngineUnavailable } satisfies ThreadAnswer);
  }
};

port.on('message', (question: PageQuestion | 'close') => {
  if (question !== 'close') return void answer(question);
  void readStore.close().then(() => port.close());
});
