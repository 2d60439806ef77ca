import type { Logger } from 'pino';
import type { Recorded } from '#kernel/event.ts';
import type { Document } from '#kernel/projection.ts';
import { START } from '#ports/event-store.ts';
import type { DocumentStore, Write } from '#ports/document-store.ts';
import { applyEvent, type ReferencePart } from '#reference/reference-part.ts';
import type { Feed } from './feed.ts';
import { PoisonedEvent, type Following, type StoppedAt } from './feed-follower.ts';
import { snapshotVersion } from './snapshot-version.ts';

/** The reference state of this process, live. */
export interface ReferenceFollower {
  /** Position of the last event that the state reflects. */
  position(): number;
  /** Position of the last event that any part took on which commands are decided. */
  took(): number;
  /** False after `timeoutMs` of real time; a position beyond the head counts as reached. */
  waitFor(position: number, timeoutMs: number): Promise<boolean>;
  /** True once the head of the log as it was at the start has been reached. */
  isReady(): boolean;
  /** An event that a part cannot take: reference state stands still there, and the process is not ready. */
  stopped(): StoppedAt | null;
  /** Keeps what has come since the last snapshot, then stops following. */
  stop(): Promise<void>;
}

export interface ReferenceOptions {
  readonly parts: readonly ReferencePart[];
  readonly feed: Feed;
  readonly stateStore: DocumentStore;
  readonly log: Pick<Logger, 'warn'>;
  /** A snapshot is due after so many events that any part takes (default 20,000): positions are no count of events … */
  readonly snapshotEveryEvents?: number;
  /** … or after so many seconds in which anything happened (default 60). */
  readonly snapshotEverySeconds?: number;
}

interface PartSnapshot extends Document {
  /** Position of the last event that the state reflected when it was kept. */
  readonly position: number;
  readonly state: unknown;
}

/** Vouches that the covered parts' snapshots still hold at this position: nothing has changed them since. */
interface Coverage extends Document {
  readonly position: number;
  readonly covers: readonly string[];
  /**
   * Of which position each covered snapshot is, at least: an older one, read before another process replaced it, is not
   * vouched for. Absent where an older release wrote it.
   */
  readonly keptAt?: Readonly<Record<string, number>>;
}

/** A part in its place along the log. */
interface LivePart {
  readonly part: ReferencePart;
  readonly snapshotId: string;
  /** Position of the last event that it has taken or passed over. */
  reflects: number;
  /** Position of its stored snapshot. */
  keptAt: number;
  isDirty: boolean;
}

const collection = 'referenceSnapshots';
const coverageId = 'position';

/**
 * Restores the parts from their snapshots and follows the log from there. A part without a snapshot of its present
 * version is folded from the first event; the others pass over what they reflect already. Errors: `EngineUnavailable`.
 */
export const followReference = async (options: ReferenceOptions): Promise<ReferenceFollower> => {
  const { parts, feed, stateStore } = options;
  const found = await stateStore.getMany<PartSnapshot | Coverage>(collection, [
    coverageId,
    ...parts.map(snapshotIdOf),
  ]);
  // Asked last: whatever was kept before is behind it.
  const head = await feed.head();
  const kept = await withoutLost(found, head, options);
  return new LiveReference(
    options,
    parts.map((part) => restorePart(part, kept)),
    head,
  );
};

export const snapshotIdOf = (part: ReferencePart): string => `${part.name}-${snapshotVersion(part)}`;

/**
 * What is beyond the head was kept along a log that has since been restored to an older state. It goes for good: its
 * position would keep later snapshots out.
 */
const withoutLost = async (
  found: readonly (PartSnapshot | Coverage)[],
  head: number,
  { stateStore, log }: ReferenceOptions,
): Promise<ReadonlyMap<string, PartSnapshot | Coverage>> => {
  const lost = found.filter(({ position }) => position > head);
  if (lost.length > 0) {
    const snapshots = lost.map(({ _id, position }) => `${_id} at ${position}`);
    log.warn(
      { head, snapshots },
      'the log ends before reference snapshots: it was restored, they are dropped',
    );
    await stateStore.write(lost.map(({ _id }) => ({ collection, remove: _id })));
  }
  return new Map(found.filter(({ position }) => position <= head).map((one) => [one._id, one]));
};

const restorePart = (part: ReferencePart, kept: ReadonlyMap<string, PartSnapshot | Coverage>): LivePart => {
  const snapshotId = snapshotIdOf(part);
  const snapshot = kept.get(snapshotId);
  const coverage = kept.get(coverageId);
  if (!snapshot || !('state' in snapshot))
    return { part, snapshotId, reflects: START, keptAt: START, isDirty: true };
  part.restore(snapshot.state);
  const isCovered =
    coverage &&
    'covers' in coverage &&
    coverage.covers.includes(snapshotId) &&
    snapshot.position >= (coverage.keptAt?.[snapshotId] ?? START);
  const reflects = Math.max(snapshot.position, isCovered ? coverage.position : START);
  return { part, snapshotId, reflects, keptAt: snapshot.position, isDirty: false };
};

class LiveReference implements ReferenceFollower {
  readonly #options: ReferenceOptions;
  readonly #parts: readonly LivePart[];
  readonly #byType = new Map<string, LivePart[]>();
  readonly #following: Following;
  readonly #target: number;
  /** Before this position some parts are ahead of the others, and no one position describes them all. */
  readonly #level: number;
  readonly #timer: NodeJS.Timeout;
  #upTo: number;
  /** After a start, where the snapshots end: which event was the last one taken then is not known. */
  #took: number;
  #keptUpTo: number;
  #takenSinceKept = 0;
  #keeping: Promise<void> | null = null;

  constructor(options: ReferenceOptions, parts: readonly LivePart[], target: number) {
    const positions = parts.map(({ reflects }) => reflects);
    this.#options = options;
    this.#parts = parts;
    this.#target = target;
    this.#level = Math.max(START, ...positions);
    this.#upTo = positions.length === 0 ? target : Math.min(...positions);
    this.#keptUpTo = this.#upTo;
    this.#took = this.#level;
    for (const one of parts) {
      for (const type of Object.keys(one.part.on))
        this.#byType.set(type, [...(this.#byType.get(type) ?? []), one]);
    }
    this.#following = options.feed.follow({
      name: 'reference state',
      after: this.#upTo,
      eventTypes: new Set(this.#byType.keys()),
      handle: async (events, upTo) => this.#take(events, upTo),
    });
    const seconds = options.snapshotEverySeconds ?? 60;
    this.#timer = setInterval(() => void this.#keep(), seconds * 1000).unref();
  }

  position(): number {
    return this.#following.position;
  }

  took(): number {
    return this.#took;
  }

  waitFor(position: number, timeoutMs: number): Promise<boolean> {
    return this.#following.waitFor(position, timeoutMs);
  }

  isReady(): boolean {
    return this.position() >= this.#target;
  }

  stopped(): StoppedAt | null {
    return this.#following.stopped;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#following.leave();
    await this.#keeping;
    await this.#keep();
  }

  #take(events: readonly Recorded[], upTo: number): void {
    for (const event of events) {
      for (const one of this.#byType.get(event.type) ?? []) {
        if (event.position <= one.reflects) continue;
        try {
          applyEvent(one.part, event);
        } catch (error) {
          throw new PoisonedEvent(event.position, error);
        }
        one.reflects = event.position;
        one.isDirty = true;
        if (!one.part.isBookkeeping) this.#took = event.position;
      }
    }
    this.#upTo = upTo;
    this.#takenSinceKept += events.length;
    if (this.#takenSinceKept >= (this.#options.snapshotEveryEvents ?? 20_000)) void this.#keep();
  }

  /** Snapshots of the parts that have changed, at one position, in one write. Not while half a batch is applied. */
  #keep(): Promise<void> | null {
    const position = this.#upTo;
    const isWhole = position >= this.#level && this.stopped() === null;
    if (this.#keeping || !isWhole || position <= this.#keptUpTo) return this.#keeping;
    const dirty = this.#parts.filter(({ isDirty }) => isDirty);
    const covers = this.#parts.map(({ snapshotId }) => snapshotId);
    const writes: Write[] = dirty.map(({ part, snapshotId }) => {
      const put: PartSnapshot = { _id: snapshotId, position, state: part.snapshot() };
      return { collection, put, position };
    });
    for (const one of dirty) {
      one.isDirty = false;
      one.keptAt = position;
    }
    const keptAt = Object.fromEntries(this.#parts.map((one) => [one.snapshotId, one.keptAt]));
    const coverage: Coverage = { _id: coverageId, position, covers, keptAt };
    this.#takenSinceKept = 0;
    // Unguarded: at a position that was kept before, it may cover a part that is new.
    this.#keeping = this.#write([...writes, { collection, put: coverage }], dirty, position);
    return this.#keeping;
  }

  async #write(writes: readonly Write[], dirty: readonly LivePart[], position: number): Promise<void> {
    try {
      await this.#options.stateStore.write(writes);
      this.#keptUpTo = position;
    } catch (error) {
      for (const one of dirty) one.isDirty = true;
      this.#options.log.warn({ position, err: error }, 'reference snapshot not written, tried again later');
    } finally {
      this.#keeping = null;
    }
  }
}
