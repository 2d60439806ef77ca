// The entry of a thread that prices sales again.
import { parentPort, workerData } from 'node:worker_threads';
import { createKeylessDecoder } from '#log/codec.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { lowerPriority } from '#runtime/low-priority.ts';
import { openLogForReading } from '../shared-kernel/open-engines.ts';
import { runWhatIf } from './contexts/discounts/what-if/run-what-if.ts';
import type { ThreadData, ThreadWord } from './contexts/discounts/what-if/carry-out.ts';

const port = parentPort;
if (port === null) throw new Error('what-if-thread.ts runs in a worker thread only');
lowerPriority();
const { events, question } = workerData as ThreadData;
const say = (word: ThreadWord): void => port.postMessage(word);

const store = await openLogForReading(events);
try {
  const sources = {
    store,
    decoder: createKeylessDecoder(store),
    onProgress: (progress: Extract<ThreadWord, { kind: 'progress' }>['progress']) =>
      say({ kind: 'progress', progress }),
  };
  say({ kind: 'result', result: await runWhatIf(sources, question) });
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  say({ kind: 'failed', message, isUnavailable: error instanceof EngineUnavailable });
} finally {
  await store.close();
}
