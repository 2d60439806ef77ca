import type { VerificationReport } from '#contracts/verification.contract.ts';
import { isoInstant } from '#kernel/clock.ts';
import { createKeylessDecoder } from '#log/codec.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { EventStore } from '#ports/event-store.ts';
import { openSealStore } from '../seals/seal-store.ts';
import type { LogEnd, Problem } from './log-check.ts';
import { logChecks } from './log-checks.ts';
import { sealsCheck, type KeptSeals } from './seals.check.ts';
import { verifyLog, type LogVerdict, type VerifyProgress } from './verify-log.ts';

/** What became of the comparison of the views with a fresh fold. */
export interface ViewsVerdict {
  readonly count: number;
  readonly documents: number;
  readonly problems: readonly Problem[];
}

export interface VerifyShopOptions {
  readonly store: EventStore;
  readonly stateStore: DocumentStore;
  /** A copy of seals from elsewhere. */
  readonly kept: KeptSeals | null;
  /** Milliseconds of real time. */
  readonly now: () => number;
  readonly onProgress?: (progress: VerifyProgress) => void;
  /** Compares the views, once the log has been read. Left out: they are not compared. */
  readonly verifyViews?: (end: LogEnd) => Promise<ViewsVerdict>;
}

/** Whether a shop's log is what was written, and adds up (docs/rules/proof.md#verification). Changes nothing. */
export const verifyShop = async (options: VerifyShopOptions): Promise<VerificationReport> => {
  const { store, stateStore, kept, now, onProgress, verifyViews } = options;
  const startedAt = isoInstant(now());
  const sealStore = await openSealStore(stateStore);
  const seals = await sealStore.all();
  const sealing = sealsCheck({ publicKey: await sealStore.publicKey(), seals, kept });
  const log = await verifyLog({
    store,
    decoder: createKeylessDecoder(store),
    checks: [...logChecks, sealing.create],
    ...(onProgress && { onProgress }),
  });
  const views = verifyViews ? await verifyViews(log.end) : null;
  const problems = [...log.problems, ...(views?.problems ?? [])];
  const covering = sealing.coverage();
  return {
    isSound: problems.length === 0,
    startedAt,
    finishedAt: isoInstant(now()),
    position: log.end.position,
    events: log.end.events,
    recordedUntil: log.end.recordedAt,
    checks: checksOf(log, views),
    seals: {
      count: seals.length,
      isCompared: kept !== null,
      covering,
      uncovered: log.end.events - (covering?.count ?? 0),
    },
    views: views && { count: views.count, documents: views.documents },
    problems,
  };
};

const checksOf = ({ found }: LogVerdict, views: ViewsVerdict | null): VerificationReport['checks'] => [
  ...Object.entries(found).map(([name, problems]) => ({ name, problems })),
  ...(views ? [{ name: 'views', problems: views.problems.length }] : []),
];
