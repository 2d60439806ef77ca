import type { Logger } from 'pino';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore, Write } from '#ports/document-store.ts';
import { START } from '#ports/event-store.ts';

interface Mark extends Document {
  readonly position: number;
  /** Up to here only the state is folded: what the events lead to went out before the log was restored. */
  readonly quietUpTo?: number;
  /** Up to here an older release may have written rows, under ids of its own. Absent in its marks. */
  readonly idsSince?: number;
}

interface KeptState<State> extends Document {
  readonly position: number;
  readonly state: State;
}

/** What the state store does not hold yet: the writes, and how to tell that they are done. */
export interface UnkeptCheckpoint {
  readonly writes: readonly Write[];
  readonly kept: () => void;
}

const collection = 'dispatcherCheckpoints';

export const declareCheckpoints = (stateStore: DocumentStore): Promise<void> =>
  stateStore.declare(collection);

/** How far a follower of the log has come, with the state it had there, and what of that the state store holds. */
export class FollowerCheckpoint<State> {
  readonly #name: string;
  readonly #initial: State;
  readonly #stateStore: DocumentStore;
  readonly #log: Pick<Logger, 'warn'>;
  #position = START;
  #quietUpTo = START;
  #idsSince = START;
  #state: State;
  #keptPosition = START;
  #keptState: State;

  constructor(name: string, initial: State, stateStore: DocumentStore, log: Pick<Logger, 'warn'>) {
    this.#name = name;
    this.#initial = initial;
    this.#stateStore = stateStore;
    this.#log = log;
    this.#state = initial;
    this.#keptState = initial;
  }

  /** Up to where everything is written and published. */
  get position(): number {
    return this.#position;
  }

  /** Up to where nothing goes out, as it did before the log was restored. */
  get quietUpTo(): number {
    return this.#quietUpTo;
  }

  /** Up to where rows may have the ids of an older release; START where there never was one. */
  get idsSince(): number {
    return this.#idsSince;
  }

  get state(): State {
    return this.#state;
  }

  moveTo(position: number, state: State): void {
    this.#position = position;
    this.#state = state;
  }

  /** The position that the state store holds, by any writer. */
  async storedPosition(): Promise<number> {
    return (await this.#stored())?.position ?? START;
  }

  /**
   * Takes up what the state store holds. False when the log was restored to before it: all is folded again. Mark and
   * state are two documents, written state first and therefore read mark first: the state is that of the mark, or of a
   * later position, where an owner was killed in between or is still at work. Then that position counts: its owner had
   * sent everything up to there.
   */
  async restore(readHead: () => Promise<number>): Promise<boolean> {
    const stored = await this.#stored();
    const kept = await this.#stateStore.get<KeptState<State>>(collection, `${this.#name} state`);
    const position = Math.max(stored?.position ?? START, kept?.position ?? START);
    const reached = Math.max(position, stored?.quietUpTo ?? START);
    // Asked last: in a log that only grows it is never before a checkpoint.
    const head = await readHead();
    const isLost = reached > head;
    this.#idsSince = stored?.idsSince ?? (stored === null && kept === null ? START : head);
    if (isLost) await this.#forget(reached, head);
    else if (stored?.idsSince === undefined) await this.#keepIdsSince(stored);
    this.#position = isLost ? START : position;
    this.#quietUpTo = isLost ? head : (stored?.quietUpTo ?? START);
    this.#state = isLost || kept === null ? this.#initial : kept.state;
    this.#keptState = this.#state;
    // Where the mark lags behind, it is written with the next checkpoint.
    this.#keptPosition = isLost ? START : (stored?.position ?? START);
    return !isLost;
  }

  /** A late owner of the lease never moves the stored one back. */
  unkept(): UnkeptCheckpoint {
    const position = this.#position;
    const state = this.#state;
    if (position <= this.#keptPosition) return { writes: [], kept: () => undefined };
    const quietUpTo = this.#quietUpTo;
    const quiet = position < quietUpTo ? { quietUpTo } : {};
    const mark: Mark = { _id: this.#name, position, ...quiet, idsSince: this.#idsSince };
    const keptState: KeptState<State> = { _id: `${this.#name} state`, position, state };
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

  #stored(): Promise<Mark | null> {
    return this.#stateStore.get<Mark>(collection, this.#name);
  }

  /**
   * The log was restored to an older state. What was known comes from events that it lost, so that it is folded again,
   * in silence up to the head of now; what comes after goes out.
   */
  async #forget(checkpoint: number, head: number): Promise<void> {
    this.#log.warn(
      { follower: this.#name, checkpoint, head },
      'the log ends before the checkpoint: it was restored; what is appended from now on goes out, what was lost cannot',
    );
    this.#idsSince = head;
    const mark: Mark = { _id: this.#name, position: START, quietUpTo: head, idsSince: head };
    await this.#stateStore.write([
      { collection, remove: `${this.#name} state` },
      { collection, put: mark },
    ]);
  }
}
