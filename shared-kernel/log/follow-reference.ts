import type { Logger } from 'pino';
import type { Recorded } from '#kernel/event.ts';
import { START, type LogMark } from '#ports/event-store.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { applyEvent, type ReferencePart } from '#reference/reference-part.ts';
import type { Feed } from './feed.ts';
import type { ReadUpTo } from './share-read.ts';
import { PoisonedEvent, type Following, type StoppedAt } from './feed-follower.ts';
import {
  collection,
  deleteOtherVersions,
  deletePart,
  headIdOf,
  saveParts,
  restorePart,
  takePart,
  type Head,
} from './snapshot-chunks.ts';

/** The reference state of this process, live. */
export interface ReferenceFollower {
  /** Position of the last event that the state reflects. */
  position(): number;
  /** Position of the last event that any part took on which commands are decided. */
  took(): number;
  /** False after `timeoutMs` of real time; a position beyond the head counts as reached. */
  waitFor(position: number, timeoutMs: number): Promise<boolean>;
  /** How far it is to the head of the log as it was at the start; null once that has been reached. */
  catchingUp(): ReadUpTo | null;
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
  /** A snapshot is due after this many events that any part takes (default 20,000), as positions are not counts … */
  readonly snapshotEveryEvents?: number;
  /** … or after this many seconds with any event (default 60). */
  readonly snapshotEverySeconds?: number;
}

/** A part in its place along the log. */
interface LivePart {
  readonly part: ReferencePart;
  /** Position of the last event that it has taken or passed over. */
  reflects: number;
}

/** Tries for a snapshot whose chunks another process has just replaced. */
const ATTEMPTS = 3;

/**
 * Restores the parts from their snapshots and follows the log from there. A part without a snapshot of its present
 * version is folded from the first event; the others pass over what they reflect already. Errors: `EngineUnavailable`.
 */
export const followReference = async (options: ReferenceOptions): Promise<ReferenceFollower> => {
  const { parts, feed, stateStore, log } = options;
  await stateStore.declare(collection);
  const heads = await headsOf(stateStore, parts);
  const live: LivePart[] = [];
  const lost: string[] = [];
  for (const part of parts) live.push(await openPart(options, part, heads.get(headIdOf(part)), lost));
  if (lost.length > 0) log.warn({ parts: lost }, LOST);
  return new LiveReference(options, live, await feed.head());
};

/** By id; missing ones are left out. */
const headsOf = async (
  stateStore: DocumentStore,
  parts: readonly ReferencePart[],
): Promise<ReadonlyMap<string, Head>> => {
  const found = await stateStore.getMany<Head>(collection, parts.map(headIdOf));
  return new Map(found.map((head) => [head._id, head]));
};

/**
 * A part as its head has it, else empty. What was kept at an event that the log does not hold is of a log that has
 * since been restored to an older copy, and what is damaged would be read again at each start. Both go for good: their
 * position would keep later snapshots out, their names later chunks.
 */
const openPart = async (
  { stateStore, feed, log }: ReferenceOptions,
  part: ReferencePart,
  found: Head | undefined,
  lost: string[],
): Promise<LivePart> => {
  let head = found;
  for (let attempt = 1; head && attempt <= ATTEMPTS; attempt++) {
    const { _id, position, eventId = null } = head;
    const at = await feed.confirm({ position, eventId });
    if (at && eventId === null && at.eventId !== null)
      await stateStore.updateIf(collection, { _id, position }, { set: { eventId: at.eventId } });
    const restored = at && (await restorePart(stateStore, part, head));
    if (restored?.kind === 'restored') return { part, reflects: position };
    if (!at) lost.push(part.name);
    if (restored?.kind === 'damaged') log.warn({ part: part.name, reason: restored.reason }, DAMAGED);
    if (restored?.kind !== 'incomplete') await deletePart(stateStore, head);
    head = (await headsOf(stateStore, [part])).get(headIdOf(part));
  }
  return { part, reflects: START };
};

const LOST =
  'the log does not hold the event at which snapshots of reference state were taken: it was restored, they are dropped';

const DAMAGED =
  'a snapshot of reference state in the state store is damaged and dropped; the log is read instead. Check the disk';

class LiveReference implements ReferenceFollower {
  readonly #options: ReferenceOptions;
  readonly #byType = new Map<string, LivePart[]>();
  readonly #following: Following;
  readonly #target: number;
  /** Before this position some parts are ahead of the others, and no one position describes them all. */
  readonly #level: number;
  readonly #timer: NodeJS.Timeout;
  #upTo: LogMark;
  /** After a start, where the snapshots end: which event was the last one taken then is not known. */
  #took: number;
  #keptUpTo: number;
  #takenSinceKept = 0;
  /** False while a batch is applied, and after one that was only applied in part. */
  #isWhole = true;
  #hasForgotten = false;
  readonly #tidied = new Set<ReferencePart>();
  #keeping: Promise<void> | null = null;

  constructor(options: ReferenceOptions, parts: readonly LivePart[], target: number) {
    const positions = parts.map(({ reflects }) => reflects);
    this.#options = options;
    this.#target = target;
    this.#level = Math.max(START, ...positions);
    const from = positions.length === 0 ? target : Math.min(...positions);
    this.#upTo = { position: from, eventId: null };
    this.#keptUpTo = from;
    this.#took = this.#level;
    for (const one of parts) {
      for (const type of Object.keys(one.part.on))
        this.#byType.set(type, [...(this.#byType.get(type) ?? []), one]);
    }
    this.#following = options.feed.follow({
      name: 'reference state',
      after: from,
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

  catchingUp(): ReadUpTo | null {
    const [position, head] = [this.position(), this.#target];
    return position >= head ? null : { position, head };
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

  #take(events: readonly Recorded[], upTo: LogMark): void {
    this.#isWhole = false;
    for (const event of events) {
      for (const one of this.#byType.get(event.type) ?? []) {
        if (event.position <= one.reflects) continue;
        try {
          applyEvent(one.part, event);
        } catch (error) {
          throw new PoisonedEvent(event.position, error);
        }
        one.reflects = event.position;
        if (!one.part.isBookkeeping) this.#took = event.position;
      }
    }
    this.#isWhole = true;
    this.#upTo = upTo;
    this.#takenSinceKept += events.length;
    if (this.#takenSinceKept >= (this.#options.snapshotEveryEvents ?? 20_000)) void this.#keep();
  }

  /** What has changed since the last snapshot, of all parts at one position. */
  #keep(): Promise<void> | null {
    if (this.#upTo.position > this.#keptUpTo)
      this.#keeping ??= this.#write().finally(() => (this.#keeping = null));
    return this.#keeping;
  }

  async #write(): Promise<void> {
    const { stateStore, parts, log } = this.#options;
    try {
      const heads = await headsOf(stateStore, parts);
      const at = this.#upTo;
      if (at.position < this.#level || !this.#isWhole) return;
      this.#takenSinceKept = 0;
      await saveParts(
        stateStore,
        parts.map((part) => takePart(part, heads.get(headIdOf(part)))),
        at,
        this.#tidied,
      );
      this.#keptUpTo = at.position;
      if (!this.#hasForgotten) await deleteOtherVersions(stateStore, parts);
      this.#hasForgotten = true;
    } catch (error) {
      log.warn(
        { position: this.#upTo.position, err: error },
        'reference snapshot not written, tried again later',
      );
    }
  }
}
