import type { Document } from '#kernel/projection.ts';
import { confirmMark } from '#log/confirm-mark.ts';
import type { Feed } from '#log/feed.ts';
import type { DocumentStore, Write } from '#ports/document-store.ts';
import { START, startMark, type LogMark } from '#ports/event-store.ts';
import { checkpointCollection as collection } from '#topics/webhook-delivery.ts';
import type { MarkedLog, ResumeWish } from './resume-from-mark.ts';

interface Mark extends Document {
  readonly position: number;
  /** Which event is there; absent at START, and where an older release wrote it. */
  readonly eventId?: string;
  /** Up to here only the state is folded: after a restore of the log someone said to go on from here. */
  readonly quietUpTo?: number;
  readonly quietEventId?: string;
  /** Up to here an older release may have written rows, under ids of its own. Absent in its marks. */
  readonly idsSince?: number;
}

interface KeptState<State> extends Document {
  readonly position: number;
  readonly eventId?: string;
  readonly state: State;
}

/** The two documents of a follower, and the furthest event that they name. */
interface Kept<State> {
  readonly mark: Mark | null;
  readonly state: KeptState<State> | null;
  readonly reached: LogMark;
  readonly quiet: LogMark;
  readonly last: LogMark;
}

/** What the state store does not hold yet: the writes, and how to tell that they are done. */
export interface PendingCheckpoint {
  readonly writes: readonly Write[];
  readonly kept: () => void;
}

export const declareCheckpoints = (stateStore: DocumentStore): Promise<void> =>
  stateStore.declare(collection);

const stateId = (name: string): string => `${name} state`;
const named = ({ eventId }: LogMark): { readonly eventId?: string } => (eventId === null ? {} : { eventId });
const later = (one: LogMark, other: LogMark): LogMark => (other.position > one.position ? other : one);

/**
 * Mark and state are two documents, written state first and therefore read mark first: the state is that of the mark,
 * or of a later position, where an owner was killed in between or is still at work. Then that position counts: its
 * owner had sent everything up to there.
 */
const readKept = async <State>(
  stateStore: Pick<DocumentStore, 'get'>,
  name: string,
): Promise<Kept<State>> => {
  const mark = await stateStore.get<Mark>(collection, name);
  const state = await stateStore.get<KeptState<State>>(collection, stateId(name));
  const { position = START, eventId = null, quietUpTo = START, quietEventId = null } = mark ?? {};
  const reached = later(
    { position: state?.position ?? START, eventId: state?.eventId ?? null },
    { position, eventId },
  );
  const quiet = { position: quietUpTo, eventId: quietEventId };
  return { mark, state, reached, quiet, last: later(reached, quiet) };
};

/**
 * Has a follower go on whose log was restored: its state is folded again, in silence up to an event; what comes after
 * goes out. False where the log holds what it had reached.
 */
export const resumeFollower = async (
  name: string,
  { stateStore, store }: { readonly stateStore: DocumentStore; readonly store: MarkedLog },
  { from, head }: ResumeWish,
): Promise<boolean> => {
  await declareCheckpoints(stateStore);
  const { mark, last } = await readKept(stateStore, name);
  if (await confirmMark(store, last)) return false;
  const { position: quietUpTo, eventId } = from;
  const quiet = eventId === null ? {} : { quietUpTo, quietEventId: eventId };
  const put: Mark = { _id: name, position: START, ...quiet, idsSince: mark?.idsSince ?? head };
  await stateStore.write([
    { collection, remove: stateId(name) },
    { collection, put },
  ]);
  return true;
};

/** Up to which position rows of a follower may have the ids of an older release. Errors: `EngineUnavailable`. */
export const olderIdsUpTo = async (stateStore: Pick<DocumentStore, 'get'>, name: string): Promise<number> => {
  const mark = await stateStore.get<Mark>(collection, name);
  return mark === null ? START : (mark.idsSince ?? Number.MAX_SAFE_INTEGER);
};

/** How far a follower of the log has come, with the state it had there, and what of that the state store holds. */
export class FollowerCheckpoint<State> {
  readonly #name: string;
  readonly #initial: State;
  readonly #stateStore: DocumentStore;
  #reached: LogMark = startMark;
  #quiet: LogMark = startMark;
  #idsSince = START;
  #state: State;
  #keptPosition = START;
  #keptState: State;

  constructor(name: string, initial: State, stateStore: DocumentStore) {
    this.#name = name;
    this.#initial = initial;
    this.#stateStore = stateStore;
    this.#state = initial;
    this.#keptState = initial;
  }

  /** The event up to which everything is written and published. */
  get reached(): LogMark {
    return this.#reached;
  }

  /** Up to where nothing goes out: someone said so when the log had been restored. */
  get quietUpTo(): number {
    return this.#quiet.position;
  }

  /** Up to where rows may have the ids of an older release; START where there never was one. */
  get idsSince(): number {
    return this.#idsSince;
  }

  get state(): State {
    return this.#state;
  }

  moveTo(reached: LogMark, state: State): void {
    this.#reached = reached;
    this.#state = state;
  }

  /** The position that the state store holds, by any writer. */
  async storedPosition(): Promise<number> {
    return (await this.#stateStore.get<Mark>(collection, this.#name))?.position ?? START;
  }

  /**
   * Resumes from what the state store holds, and returns null. Where the log does not hold the event that was reached:
   * returns that mark and resumes nothing.
   */
  async restore(feed: Pick<Feed, 'confirm' | 'head'>): Promise<LogMark | null> {
    const { mark, state, reached, quiet, last } = await readKept<State>(this.#stateStore, this.#name);
    const confirmed = await feed.confirm(last);
    if (!confirmed) return last;
    if (last.eventId === null && confirmed.eventId !== null) await this.#nameEvent(confirmed);
    const isNew = mark === null && state === null;
    this.#idsSince = mark?.idsSince ?? (isNew ? START : await feed.head());
    if (mark?.idsSince === undefined) await this.#keepIdsSince(mark);
    this.#reached = last === reached ? confirmed : reached;
    this.#quiet = quiet;
    this.#state = state === null ? this.#initial : state.state;
    this.#keptState = this.#state;
    // Where the mark lags behind, it is written with the next checkpoint.
    this.#keptPosition = mark?.position ?? START;
    return null;
  }

  /** A late owner of the lease never moves the stored one back. */
  unkept(): PendingCheckpoint {
    const reached = this.#reached;
    const state = this.#state;
    const { position } = reached;
    if (position <= this.#keptPosition) return { writes: [], kept: () => undefined };
    const { position: quietUpTo, eventId: quietEventId } = this.#quiet;
    const quietId = quietEventId === null ? {} : { quietEventId };
    const quiet = position < quietUpTo ? { quietUpTo, ...quietId } : {};
    const at = { position, ...named(reached) };
    const mark: Mark = { _id: this.#name, ...at, ...quiet, idsSince: this.#idsSince };
    const keptState: KeptState<State> = { _id: stateId(this.#name), ...at, state };
    return {
      writes: [
        ...(state !== this.#keptState ? [{ collection, put: keptState, position }] : []),
        { collection, put: mark, position },
      ],
      kept: () => this.#kept(position, state),
    };
  }

  async save(): Promise<void> {
    const { writes, kept } = this.unkept();
    if (writes.length === 0) return;
    await this.#stateStore.write(writes);
    kept();
  }

  #kept(position: number, state: State): void {
    if (position <= this.#keptPosition) return;
    this.#keptPosition = position;
    this.#keptState = state;
  }

  /** Before the first row of today's ids: should it be written again after a kill, it must get the same one. */
  async #keepIdsSince(stored: Mark | null): Promise<void> {
    const [_id, idsSince, position] = [this.#name, this.#idsSince, START];
    if (stored) await this.#stateStore.updateIf(collection, { _id }, { set: { idsSince } });
    else await this.#stateStore.write([{ collection, put: { _id, position, idsSince } as Mark, position }]);
  }

  /** An older release kept positions alone. */
  async #nameEvent({ position, eventId }: LogMark): Promise<void> {
    const set = { eventId };
    await this.#stateStore.updateIf(collection, { _id: this.#name, position }, { set });
    await this.#stateStore.updateIf(collection, { _id: stateId(this.#name), position }, { set });
    await this.#stateStore.updateIf(
      collection,
      { _id: this.#name, quietUpTo: position },
      { set: { quietEventId: eventId } },
    );
  }
}
