import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteDocumentStore } from '#adapters/sqlite/sqlite-document-store.ts';
import { openSqliteEventStore } from '#adapters/sqlite/sqlite-event-store.ts';
import { createCodec } from '#log/codec.ts';
import { createSubjectKeys } from '#log/subject-keys.ts';
import type { EventStore } from '#ports/event-store.ts';
import { rebuildAll } from '#projection/engine/rebuild.ts';
import { salesJournalProjection } from '#projection/contexts/reporting/sales-journal.projection.ts';
import { soldByMemberProjection } from '#projection/contexts/reporting/sold-by-member.projection.ts';
import { entityViews } from '#projection/engine/entity-view.ts';
import { projections } from '#projection/projections.ts';
import { fileNames } from './data-folder.ts';
import { scanLog } from './scan-log.ts';

/*
 * Cold replay of a log into projections, between two raw scans of the same log; with 0 runs a single replay without
 * scans, for its memory. `node replay.ts <data folder> <runs> [reporting]`: all projections, or only those of
 * reports; APPLICATION_KEY is the shop's.
 */

export interface ReplayRun {
  readonly events: number;
  /** Reading every event and parsing its two JSON texts. */
  readonly scanMs: number;
  readonly replayMs: number;
}

export interface ReplayMemory {
  /** Of the process, its code included. */
  readonly peakBytes: number;
}

const [, , dataDir = '', runs = '3', views = 'all'] = process.argv;
const reports = [salesJournalProjection, soldByMemberProjection, ...entityViews];
const replayed = views === 'all' ? projections : reports;
const applicationKey = Buffer.from(process.env['APPLICATION_KEY'] ?? '', 'base64');
const files = fileNames(dataDir);

/** Into an empty store, with keys that nobody has looked up before. */
const replay = async (store: EventStore): Promise<number> => {
  // Opened as a shop's thread opens them (shared-kernel/open-engines.ts): keys are only read, and nothing is cached.
  const stateStore = await openSqliteDocumentStore({ file: files.state, readOnly: true });
  const folder = mkdtempSync(join(dataDir, 'replay-'));
  const file = join(folder, 'read.db');
  const readStore = await openSqliteDocumentStore({ file, synchronous: 'NORMAL', cache: false });
  const keys = await createSubjectKeys({ store: stateStore, applicationKey });
  const codec = createCodec({ keys, applicationKey, store });
  const started = performance.now();
  await rebuildAll(replayed, { store, codec, readStore });
  const ms = performance.now() - started;
  await readStore.close();
  await stateStore.close();
  rmSync(folder, { recursive: true });
  return ms;
};

const measureMemory = async (store: EventStore): Promise<ReplayMemory> => {
  await replay(store);
  return { peakBytes: process.resourceUsage().maxRSS * 1024 };
};

const measureRuns = async (store: EventStore): Promise<readonly ReplayRun[]> => {
  await scanLog(store);
  const measured: ReplayRun[] = [];
  for (let turn = 0; turn < Number(runs); turn++) {
    const before = await scanLog(store);
    const replayMs = await replay(store);
    const after = await scanLog(store);
    measured.push({ events: before.events, scanMs: (before.ms + after.ms) / 2, replayMs });
    process.send?.({ progress: (turn + 1) / Number(runs) });
  }
  return measured;
};

const measure = async (): Promise<ReplayMemory | readonly ReplayRun[]> => {
  const store = await openSqliteEventStore({ file: files.events, readOnly: true });
  try {
    return await (Number(runs) === 0 ? measureMemory(store) : measureRuns(store));
  } finally {
    await store.close();
  }
};

measure().then(
  (result) => process.send?.({ result }),
  (error: unknown) => process.send?.({ error: error instanceof Error ? String(error.stack) : String(error) }),
);
process.on('disconnect', () => process.exit());
