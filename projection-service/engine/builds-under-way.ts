import type { AnyProjection, Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { versionName } from './generations.ts';

/** A version of a view that another process is filling for the release that is to come. */
interface Build extends Document {
  /** Real time in milliseconds. */
  readonly seenAt: number;
}

const collection = 'builds';
const MARK_MILLISECONDS = 2000;
/** The clocks of two machines differ by less than this. */
const GONE_AFTER_MILLISECONDS = 60_000;

/**
 * Says that this process fills these views, until the answer is called. A start leaves them to it meanwhile. Goes on
 * whatever becomes of the store: a mark that grows old counts for nothing. Errors: `EngineUnavailable`.
 */
export const markBuilds = async (
  readStore: Pick<DocumentStore, 'write'>,
  views: readonly AnyProjection[],
  now: () => number = Date.now,
): Promise<() => Promise<void>> => {
  const mark = (): Promise<void> =>
    readStore.write(
      views.map((view) => ({ collection, put: { _id: versionName(view), seenAt: now() } as Build })),
    );
  await mark();
  const timer = setInterval(() => void mark().catch(() => undefined), MARK_MILLISECONDS).unref();
  return async () => {
    clearInterval(timer);
    await readStore.write(views.map((view) => ({ collection, remove: versionName(view) })));
  };
};

/** The names of those that another process is filling. Errors: `EngineUnavailable`. */
export const buildsUnderWay = async (
  readStore: Pick<DocumentStore, 'getMany'>,
  views: readonly AnyProjection[],
  now: number = Date.now(),
): Promise<ReadonlySet<string>> => {
  const marks = await readStore.getMany<Build>(collection, views.map(versionName));
  const live = new Set(
    marks.flatMap(({ _id, seenAt }) => (Math.abs(now - seenAt) < GONE_AFTER_MILLISECONDS ? [_id] : [])),
  );
  return new Set(views.flatMap((view) => (live.has(versionName(view)) ? [view.name] : [])));
};
