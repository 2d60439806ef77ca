import { once } from 'node:events';
import type { Logger } from 'pino';
import type { Feed } from '#engine/feed.ts';
import { PoisonedEvent, type Following, type StoppedAt } from '#engine/feed-follower.ts';
import { workWheneverHeld, type Leases } from '#engine/leases.ts';
import { PositionMark, waitForPosition } from '#engine/wait-for-position.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Recorded } from '#kernel/event.ts';
import type { Document } from '#kernel/projection.ts';
import type { Bus, BusMessage } from '#ports/bus.ts';
import type { DocumentStore, Write } from '#ports/document-store.ts';
import { START } from '#ports/event-store.ts';

/** What an event leads to: documents for the state store, and messages that wake whoever works on them. */
export interface Outgoing {
  readonly writes: readonly Write[];
  readonly messages: readonly BusMessage[];
}

/**
 * From the log to what goes out. What it has to know of the past (who has subscribed) it folds from the same events in
 * the same order, so that a replay finds everything as it was then. All functions are pure.
 */
export interface LogMapping<State> {
  readonly name: string;
  readonly eventTypes: ReadonlySet<string>;
  /** JSON, and so is every later state. */
  readonly initial: State;
  /** The same object when nothing has changed. */
  evolve(state: State, event: Recorded): State;
  /** `now` is the shop's time in milliseconds. Writes of rows carry the event's position: a replay leaves them be. */
  outgoing(state: State, event: Recorded, now: number): readonly Outgoing[];
}

export interface FollowLogOptions<State> {
  readonly mapping: LogMapping<State>;
  /** Where the messages go on the bus. */
  readonly topic: string;
  readonly feed: Feed;
  readonly stateStore: DocumentStore;
  readonly bus: Bus;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  /** Told of every batch once it is written and published. */
  readonly onSent?: (writes: readonly Write[]) => void;
}

/** How far the log has been turned into what goes out. */
export interface LogFollower {
  /** Position of the last event that was dealt with, here or, a moment ago, in another process. */
  readonly position: number;
  readonly lagPositions: number;
  readonly lagSeconds: number;
  /** The event at which it stands still; null while it goes on. */
  readonly stopped: StoppedAt | null;
  readonly isFollowing: boolean;
  /** False after `timeoutMs` of real time; a position beyond the head counts as reached. */
  waitFor(position: number, timeoutMs: number): Promise<boolean>;
  resume(): void;
  /** Finishes the batch in hand and keeps the checkpoint. */
  stop(): Promise<void>;
}

interface Checkpoint extends Document {
  readonly position: number;
}

interface KeptState<State> extends Checkpoint {
  readonly state: State;
}

const collection = 'dispatcherCheckpoints';
const LEASE_MILLISECONDS = 10_000;
/** How long a checkpoint may wait to be written when no further batch takes it along. */
const SAVE_AFTER_MILLISECONDS = 1000;
/** One write to the state store holds no more than that. */
const MAX_ROWS = 500;
const MAX_CHARACTERS = 4_000_000;

/**
 * Follows the log under a lease and turns each event into rows and messages. Rows first, then the messages, then the
 * checkpoint, which travels with the rows of the next batch: what a crash repeats finds its rows there already.
 */
export const followLog = async <State>(options: FollowLogOptions<State>): Promise<LogFollower> => {
  await options.stateStore.declare(collection);
  const follower = new LeasedLogFollower(options);
  follower.start();
  return follower;
};

class LeasedLogFollower<State> implements LogFollower {
  readonly #options: FollowLogOptions<State>;
  readonly #mark = new PositionMark(START);
  readonly #stopping = new AbortController();
  #working: Promise<void> = Promise.resolve();
  #following: Following | null = null;
  /** Up to where everything is written and published; may run behind the mark after a change of owner. */
  #done = START;
  #state: State;
  #keptPosition = START;
  #keptState: State;
  #saving: NodeJS.Timeout | null = null;

  constructor(options: FollowLogOptions<State>) {
    this.#options = options;
    this.#state = options.mapping.initial;
    this.#keptState = options.mapping.initial;
  }

  get position(): number {
    return this.#mark.position;
  }

  get lagPositions(): number {
    return Math.max(0, this.#options.feed.position - this.position);
  }

  get lagSeconds(): number {
    return this.#following?.lagSeconds ?? 0;
  }

  get stopped(): StoppedAt | null {
    return this.#following?.stopped ?? null;
  }

  get isFollowing(): boolean {
    return this.#following !== null;
  }

  waitFor(position: number, timeoutMs: number): Promise<boolean> {
    return waitForPosition(this.#mark, () => this.#options.feed.head(), position, timeoutMs);
  }

  resume(): void {
    this.#following?.resume();
  }

  start(): void {
    const { leases, log, mapping } = this.#options;
    this.#working = workWheneverHeld({
      leases,
      name: mapping.name,
      ownerId: mapping.name,
      ttlMs: LEASE_MILLISECONDS,
      log,
      signal: this.#stopping.signal,
      work: (signal) => this.#work(signal),
      whileWaiting: async () => this.#mark.advance((await this.#stored())?.position ?? START),
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#working;
  }

  async #work(signal: AbortSignal): Promise<void> {
    const { feed, mapping } = this.#options;
    await this.#restore();
    this.#following = feed.follow({
      name: mapping.name,
      after: this.#done,
      eventTypes: mapping.eventTypes,
      handle: (events, upTo) => this.#handle(events, upTo),
    });
    try {
      if (!signal.aborted) await once(signal, 'abort');
    } finally {
      await this.#following.leave();
      this.#following = null;
      await this.#save();
    }
  }

  #stored(): Promise<Checkpoint | null> {
    return this.#options.stateStore.get<Checkpoint>(collection, this.#options.mapping.name);
  }

  async #restore(): Promise<void> {
    const { mapping, stateStore } = this.#options;
    this.#done = (await this.#stored())?.position ?? START;
    const kept = await stateStore.get<KeptState<State>>(collection, `${mapping.name} state`);
    this.#state = kept?.state ?? mapping.initial;
    this.#keptState = this.#state;
    this.#keptPosition = this.#done;
    this.#mark.advance(this.#done);
  }

  /** After a failure the same events come again: what has been dealt with is passed over, the state is that before. */
  async #handle(events: readonly Recorded[], upTo: number): Promise<void> {
    const fresh = events.filter(({ position }) => position > this.#done);
    let state = this.#state;
    let last = this.#done;
    let batch = new Batch();
    for (const event of fresh) {
      try {
        const evolved = this.#options.mapping.evolve(state, event);
        batch.add(this.#options.mapping.outgoing(evolved, event, this.#options.clock.now()));
        state = evolved;
      } catch (error) {
        await this.#flush(batch, last, state);
        throw new PoisonedEvent(event.position, error);
      }
      last = event.position;
      if (!batch.isFull) continue;
      await this.#flush(batch, last, state);
      batch = new Batch();
    }
    await this.#flush(batch, Math.max(upTo, last), state);
  }

  async #flush({ writes, messages }: Batch, upTo: number, state: State): Promise<void> {
    const { bus, stateStore, topic, onSent } = this.#options;
    if (writes.length > 0) {
      const { position, checkpoint } = this.#checkpoint();
      await stateStore.write([...writes, ...checkpoint]);
      this.#kept(position, this.#state);
    }
    if (messages.length > 0) await bus.publish(topic, messages);
    if (writes.length > 0) onSent?.(writes);
    this.#state = state;
    this.#done = upTo;
    this.#mark.advance(upTo);
    this.#saving ??= setTimeout(() => void this.#saveLater(), SAVE_AFTER_MILLISECONDS).unref();
  }

  /** What was done before, as writes; a late owner of the lease never moves it back. */
  #checkpoint(): { readonly position: number; readonly checkpoint: readonly Write[] } {
    const { name } = this.#options.mapping;
    const position = this.#done;
    if (position <= this.#keptPosition) return { position: this.#keptPosition, checkpoint: [] };
    const mark: Checkpoint = { _id: name, position };
    const kept: KeptState<State> = { _id: `${name} state`, position, state: this.#state };
    const isChanged = this.#state !== this.#keptState;
    return {
      position,
      checkpoint: [
        ...(isChanged ? [{ collection, put: kept, position }] : []),
        { collection, put: mark, position },
      ],
    };
  }

  #kept(position: number, state: State): void {
    if (position <= this.#keptPosition) return;
    this.#keptPosition = position;
    this.#keptState = state;
  }

  async #saveLater(): Promise<void> {
    await this.#save().catch((error: unknown) => {
      const { log, mapping } = this.#options;
      log.error({ follower: mapping.name, err: error }, 'checkpoint not written');
    });
  }

  async #save(): Promise<void> {
    if (this.#saving) clearTimeout(this.#saving);
    this.#saving = null;
    const { position, checkpoint } = this.#checkpoint();
    if (checkpoint.length === 0) return;
    const state = this.#state;
    await this.#options.stateStore.write(checkpoint);
    this.#kept(position, state);
  }
}

/** What goes out together. */
class Batch {
  readonly writes: Write[] = [];
  readonly messages: BusMessage[] = [];
  #characters = 0;

  get isFull(): boolean {
    return this.writes.length >= MAX_ROWS || this.#characters >= MAX_CHARACTERS;
  }

  add(outgoing: readonly Outgoing[]): void {
    for (const { writes, messages } of outgoing) {
      this.writes.push(...writes);
      this.messages.push(...messages);
      for (const write of writes) this.#characters += charactersOf(write);
    }
  }
}

/** Roughly: what is long in a row is the text of its body. */
const charactersOf = (write: Write): number => {
  let sum = 0;
  for (const value of 'put' in write ? Object.values(write.put) : []) {
    sum += typeof value === 'string' ? value.length : 16;
  }
  return sum;
};
