import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { openSqliteEventStore } from '#adapters/sqlite/sqlite-event-store.ts';
import type { EventStore } from '#ports/event-store.ts';
import { sealLog } from '#projection/contexts/audit/seals/seal-log.job.ts';
import { verifyShop } from '#projection/contexts/audit/verification/verify-shop.ts';
import { scanLog } from './scan-log.ts';

/*
 * Verifies a log, with a seal at its end, between two raw scans of the same log. `node verify.ts <log> <runs>`; with 0
 * runs the log is verified once, and the process does nothing else.
 */

export interface VerifyRun {
  readonly events: number;
  readonly scanMs: number;
  readonly verifyMs: number;
}

export interface VerifyResult {
  readonly runs: readonly VerifyRun[];
  /** Of this process, the most it ever had. */
  readonly peakBytes: number;
}

const [, , file = '', runs = '3'] = process.argv;

const verify = async (
  store: EventStore,
  stateStore = createMemoryDocumentStore(),
): Promise<{ readonly events: number; readonly ms: number }> => {
  const started = performance.now();
  const { events, isSound, problems } = await verifyShop({ store, stateStore, kept: null, now: Date.now });
  if (!isSound) throw new Error(`the log is not sound: ${JSON.stringify(problems[0])}`);
  return { events, ms: performance.now() - started };
};

const inTurn = async (store: EventStore): Promise<readonly VerifyRun[]> => {
  const stateStore = createMemoryDocumentStore();
  const sealing = { store, stateStore, applicationKey: Buffer.alloc(32), log: { warn: () => undefined } };
  // Stopped at once, again and again: it does not rest then.
  while ((await sealLog(sealing).atStop?.(Date.now()))?.['seals'] !== 0);
  const measured: VerifyRun[] = [];
  for (let turn = 0; turn < Number(runs); turn++) {
    const before = await scanLog(store);
    const { events, ms } = await verify(store, stateStore);
    const after = await scanLog(store);
    measured.push({ events, scanMs: (before.ms + after.ms) / 2, verifyMs: ms });
    process.send?.({ progress: (turn + 1) / Number(runs) });
  }
  return measured;
};

const once = async (store: EventStore): Promise<readonly VerifyRun[]> => {
  const { events, ms } = await verify(store);
  return [{ events, scanMs: NaN, verifyMs: ms }];
};

const measure = async (): Promise<VerifyResult> => {
  const store = await openSqliteEventStore({ file, readOnly: true });
  const measured = Number(runs) === 0 ? await once(store) : await inTurn(store);
  await store.close();
  return { runs: measured, peakBytes: process.resourceUsage().maxRSS * 1024 };
};

measure().then(
  (result) => process.send?.({ result }),
  (error: unknown) => process.send?.({ error: error instanceof Error ? String(error.stack) : String(error) }),
);
process.on('disconnect', () => process.exit());
