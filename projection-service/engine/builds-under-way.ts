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

const isLive = ({ seenAt }: Build, now: number): boolean => Math.abs(now - seenAt) < GONE_AFTER_MILLISECONDS;

/** One process at a time; a mark that a dead process left is taken over. */
const take = async (
  readStore: Pick<DocumentStore, 'get' | 'insertIfAbsent' | 'updateIf'>,
  _id: string,
  seenAt: number,
): Promise<boolean> => {
  if (await readStore.insertIfAbsent(collection, { _id, seenAt } as Build)) return true;
  const other = await readStore.get<Build>(collection, _id);
  if (other && isLive(other, seenAt)) return false;
  const left = { _id, ...(other && { seenAt: other.seenAt }) };
  return (await readStore.updateIf(collection, left, { set: { seenAt } })) !== null;
};

/**
 * Says that this process fills these views, until the answer is called. A start leaves them to it meanwhile. Goes on
 * even if the store is lost: an old mark does not count. Errors: `Error` where another process fills one of them,
 * `EngineUnavailable`.
 */
export const markBuilds = async (
  readStore: Pick<DocumentStore, 'get' | 'insertIfAbsent' | 'updateIf' | 'write'>,
  views: readonly AnyProjection[],
  now: () => number = Date.now,
): Promise<() => Promise<void>> => {
  const taken: AnyProjection[] = [];
  const unmark = (): Promise<void> =>
    readStore.write(taken.map((view) => ({ collection, remove: versionName(view) })));
  for (const view of views) {
    if (await take(readStore, versionName(view), now())) taken.push(view);
    else {
      await unmark();
      throw new Error(`${view.name} is being built by another process: wait until that has ended.`);
    }
  }
  const mark = (): Promise<void> =>
    readStore.write(
      views.map((view) => ({ collection, put: { _id: versionName(view), seenAt: now() } as Build })),
    );
  const timer = setInterval(() => void mark().catch(() => undefined), MARK_MILLISECONDS).unref();
  return async () => {
    clearInterval(timer);
    await unmark();
  };
};

/** The names of those that another process is filling. Errors: `EngineUnavailable`. */
export const buildsUnderWay = async (
  readStore: Pick<DocumentStore, 'find'>,
  views: readonly AnyProjection[],
  now: number = Date.now(),
): Promise<ReadonlySet<string>> => {
  // Found, not got: of what it got this process keeps at hand what it was, and the other one writes on.
  const marks = await readStore.find<Build>(collection, { filter: { _id: { in: views.map(versionName) } } });
  const live = new Set(marks.flatMap((mark) => (isLive(mark, now) ? [mark._id] : [])));
  return new Set(views.flatMap((view) => (live.has(versionName(view)) ? [view.name] : [])));
};
