// The entry of a thread that reads exports.
import { flushCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { lowerPriority } from '#runtime/low-priority.ts';
import { openForReading, openLogForReading } from '../shared-kernel/open-engines.ts';
import { answerPage } from './engine/exports/answer-page.ts';
import type { PageQuestion } from './engine/exports/export.ts';
import type { ThreadAnswer, ThreadData } from './engine/exports/page-readers.ts';
import type { Histories } from './engine/lapsing.ts';
import { exportsOfViews } from './exports.ts';

const port = parentPort;
if (port === null) throw new Error('export-reading.ts runs in a worker thread only');
lowerPriority();
const { engines, applicationKey: keyBytes } = workerData as ThreadData;
const readStore = await openForReading(engines.read);
const opened: { close(): Promise<void> }[] = [readStore];

const kept = async <Engine extends { close(): Promise<void> }>(opening: Promise<Engine>): Promise<Engine> => {
  const engine = await opening;
  opened.push(engine);
  return engine;
};
const openLog = () =>
  Promise.all([kept(openLogForReading(engines.events)), kept(openForReading(engines.state))]);
let log: ReturnType<typeof openLog> | null = null;

/** Keys are read for each page: this thread is not told who has been forgotten. */
const histories = async (): Promise<Histories> => {
  // Most exports are about now, and need none of this.
  const [{ createCodec }, { createSubjectKeys }] = await Promise.all([
    import('#log/codec.ts'),
    import('#log/subject-keys.ts'),
  ]);
  log ??= openLog().catch((error: unknown) => {
    log = null;
    throw error;
  });
  const [store, stateStore] = await log;
  const applicationKey = Buffer.from(keyBytes);
  const keys = await createSubjectKeys({ store: stateStore, applicationKey });
  return { store, codec: createCodec({ keys, applicationKey, store }) };
};
const sources = { readStore, histories };
// For the next start: a kill leaves no time for it.
flushCompileCache();

const answer = async (question: PageQuestion): Promise<void> => {
  try {
    const page = await answerPage(exportsOfViews, sources, question);
    port.postMessage(page satisfies ThreadAnswer, [page.text.buffer]);
  } catch (error) {
    const failed = error instanceof Error ? error.message : String(error);
    port.postMessage({ failed, isUnavailable: error instanceof EngineUnavailable } satisfies ThreadAnswer);
  }
};

port.on('message', (question: PageQuestion | 'close') => {
  if (question !== 'close') return void answer(question);
  void Promise.all(opened.map((engine) => engine.close())).then(() => port.close());
});
