// The entry of a thread that fills views from the log.
import { flushCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { createCodec } from '#log/codec.ts';
import { createSubjectKeys } from '#log/subject-keys.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { lowerPriority } from '#runtime/low-priority.ts';
import { openForFilling, openForReading, openLogForReading } from '../shared-kernel/open-engines.ts';
import type { FillNews, FillOrder, FillThreadData } from './engine/rebuilds/fill-in-thread.ts';
import { fillViews, type RebuildProgress } from './engine/rebuilds/fill-views.ts';
import { poisonsOf, resumeAll } from './engine/rebuilds/view-filler.ts';
import { projections } from './projections.ts';

const port = parentPort;
if (port === null) throw new Error('fill-thread.ts runs in a worker thread only');
lowerPriority();
const { engines, applicationKey: keyBytes, tasks } = workerData as FillThreadData;
const applicationKey = Buffer.from(keyBytes);
const say = (news: FillNews): void => port.postMessage(news);
const stopping = new AbortController();
/** Orders that come before it is known what there is to fill. */
const early: FillOrder[] = [];
let take = (order: FillOrder): void => void early.push(order);
port.on('message', (order: FillOrder) => take(order));

/** Progress is told now and then, whatever a page takes. */
const TELL_MILLISECONDS = 200;

const createTelling = () => {
  let toldAt = -Infinity;
  let phase: RebuildProgress['phase'] | null = null;
  return (progress: RebuildProgress): void => {
    if (performance.now() - toldAt < TELL_MILLISECONDS && progress.phase === phase) return;
    toldAt = performance.now();
    ({ phase } = progress);
    say({ progress });
  };
};

const fill = async (opened: { close(): Promise<void> }[]): Promise<void> => {
  const kept = async <Engine extends { close(): Promise<void> }>(opening: Promise<Engine>) => {
    const engine = await opening;
    opened.push(engine);
    return engine;
  };
  const store = await kept(openLogForReading(engines.events));
  const stateStore = await kept(openForReading(engines.state));
  const readStore = await kept(openForFilling(engines.read));
  const keys = await createSubjectKeys({ store: stateStore, applicationKey });
  const codec = createCodec({ keys, applicationKey, store });
  const fills = await resumeAll(tasks, { projections, readStore });
  const giveUp = async (view: string): Promise<void> => {
    await fills.find(({ projection }) => projection.name === view)?.giveUp();
    say({ givenUp: view });
  };
  take = (order) => {
    if (order === 'stop') stopping.abort();
    else if (order === 'someone was forgotten') keys.dropKnown();
    else void giveUp(order.giveUp);
  };
  early.forEach((order) => take(order));
  // For the next start: a kill leaves no time for it.
  flushCompileCache();
  await fillViews(fills, { store, codec, onProgress: createTelling(), signal: stopping.signal });
  const poisons = [...poisonsOf(fills)].map(
    ([view, { position, message }]) => [view, position, message] as const,
  );
  say({ poisons });
};

const opened: { close(): Promise<void> }[] = [];
try {
  await fill(opened);
} catch (error) {
  const failed = error instanceof Error ? error.message : String(error);
  say({ failed, isUnavailable: error instanceof EngineUnavailable });
} finally {
  await Promise.all(opened.map((engine) => engine.close()));
  port.close();
}
