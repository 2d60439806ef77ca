import type { Logger } from 'pino';
import type { Feed } from '#log/feed.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { nameCheckpoint, withdraw } from './generations.ts';
import type { ProjectionRun } from './run-projection.ts';

interface Sources {
  readonly feed: Pick<Feed, 'confirm'>;
  readonly readStore: DocumentStore;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * A checkpoint at an event that the log does not hold: the log was restored to an older copy than the read models,
 * and may have grown since. They show what it has lost, and would pass over what it was given then: none of them
 * serves until it has been filled again. Nor does one whose collection has been dropped.
 */
export const withdrawLost = async (
  runs: readonly ProjectionRun[],
  { feed, readStore, log }: Sources,
): Promise<void> => {
  const filled = runs.flatMap((run) => (run.serving ? [{ run, serving: run.serving }] : []));
  if (filled.length === 0) return;
  const there = new Set(await readStore.collections());
  const confirmed = await Promise.all(filled.map(({ serving }) => feed.confirm(serving.checkpoint)));
  const lost: typeof filled = [];
  for (const [index, { run, serving }] of filled.entries()) {
    const mark = confirmed[index];
    if (!mark || !there.has(serving.collection)) lost.push({ run, serving });
    else if (serving.checkpoint.eventId === null && mark.eventId !== null) {
      await nameCheckpoint(readStore, serving.collection, mark);
      run.adopt({ ...serving, checkpoint: mark });
    }
  }
  if (lost.length === 0) return;
  log.warn(
    { projections: lost.map(({ run }) => run.projection.name) },
    'these read models are gone, or the log does not hold the event that they had reached: it was restored; they are filled again',
  );
  for (const { run, serving } of lost) {
    await withdraw(readStore, run.projection, serving);
    run.withdraw();
  }
};
