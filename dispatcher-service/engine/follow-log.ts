import type { Logger } from 'pino';
import type { Feed } from '#log/feed.ts';
import { PoisonedEvent, type Following, type StoppedAt } from '#log/feed-follower.ts';
import { workWheneverHeld, type Leases } from '#runtime/leases.ts';
import type { PersonalTexts, SealText } from '#log/personal-texts.ts';
import { PositionMark, waitForPosition } from '#log/wait-for-position.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Recorded } from '#kernel/event.ts';
import type { Bus, BusMessage } from '#ports/bus.ts';
import type { DocumentStore, Write } from '#ports/document-store.ts';
import { markOf, START, type LogMark } from '#ports/event-store.ts';
import { declareCheckpoints, FollowerCheckpoint } from './follower-checkpoint.ts';
import type { IsBusy } from '#runtime/give-way.ts';
import { createWriteThrottle, ROWS_AT_A_TIME } from './write-throttle.ts';
import { OutgoingBatch, type Outgoing } from './outgoing-batch.ts';
import { resumeFromMark } from './resume-from-mark.ts';
import { sealedEvents } from './sealed-events.ts';
import { WantedTypes } from './wanted-types.ts';

/** What is known when an event is dealt with, beside the state. */
export interface Circumstances {
  /** The shop's time in milliseconds. */
  readonly now: number;
  /** True where an older release may have written the rows of this event: they keep the ids that it gave them. */
  readonly hasOlderIds: boolean;
  /** Seals what a row says of the event's data subject; null where it is about no person, or about one forgotten. */
  readonly seal: SealText | null;
  /** The id of that data subject. */
  readonly subject: string | null;
}

/**
 * From the log to what goes out. What it has to know of the past (who has subscribed) it folds from the same events in
 * the same order, so that a replay finds everything as it was then. All functions are pure.
 */
export interface LogMapping<State> {
  readonly name: string;
  /** The types that matter while this is the state: those that change it, and those that lead to something. */
  eventTypes(state: State): ReadonlySet<string>;
  /** JSON, and so is every later state. */
  readonly initial: State;
  /** The same object when nothing has changed. */
  evolve(state: State, event: Recorded): State;
  /** Writes of rows carry the event's position: a replay leaves them be. */
  outgoing(state: State, event: Recorded, circumstances: Circumstances): readonly Outgoing[];
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
  /** Null: `prepare` seals what is written. */
  readonly personalTexts: Pick<PersonalTexts, 'sealers'> | null;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  /**
   * Takes the messages instead of the bus where no other process has workers for them. What a kill loses is found by
   * its row.
   */
  readonly wakeHere?: (key: string, value: string) => void;
  /** Makes of a batch what is written and published. A kill or a failure has the same batch come again. */
  readonly prepare?: (outgoing: Outgoing) => Promise<Outgoing>;
  /** What goes out is prepared and written by so many rows at most: they may grow large. Default: 500. */
  readonly mostRows?: number;
  /** Told of every batch once it is written and published. */
  readonly onSent?: (writes: readonly Write[]) => void;
  /** Whether this process has callers who come first. Default: it has none. */
  readonly isBusy?: IsBusy;
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

const LEASE_MILLISECONDS = 5000;
/** How long a checkpoint may wait to be written when no further batch takes it along. */
const SAVE_AFTER_MILLISECONDS = 500;

/**
 * Follows the log under a lease and turns each event into rows and messages. Rows first, then the messages, then the
 * checkpoint, which travels with the rows of the next batch: what a crash repeats finds its rows there already.
 */
export const followLog = async <State>(options: FollowLogOptions<State>): Promise<LogFollower> => {
  await declareCheckpoints(options.stateStore);
  const follower = new LeasedLogFollower(options);
  follower.start();
  return follower;
};

class LeasedLogFollower<State> implements LogFollower {
  readonly #options: FollowLogOptions<State>;
  #mark = new PositionMark(START);
  readonly #stopping = new AbortController();
  readonly #isBusy: IsBusy;
  readonly #throttle: ReturnType<typeof createWriteThrottle>;
  #working: Promise<void> = Promise.resolve();
  /** What the feed is asked for, and how to tell that it should be asked for something else, or for nothing more. */
  readonly #wanted: WantedTypes<State>;
  #onOtherTypes: () => void = () => undefined;
  #following: Following | null = null;
  /** While the log does not hold what was reached. */
  #waiting: StoppedAt | null = null;
  /** May run behind the mark after a change of owner. */
  readonly #checkpoint: FollowerCheckpoint<State>;
  #saving: NodeJS.Timeout | null = null;

  constructor(options: FollowLogOptions<State>) {
    const { mapping, stateStore } = options;
    this.#options = options;
    this.#isBusy = options.isBusy ?? (() => false);
    this.#throttle = createWriteThrottle(this.#isBusy);
    this.#wanted = new WantedTypes((state) => mapping.eventTypes(state));
    this.#checkpoint = new FollowerCheckpoint(mapping.name, mapping.initial, stateStore);
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
    return this.#waiting ?? this.#following?.stopped ?? null;
  }

  get isFollowing(): boolean {
    return this.#following !== null;
  }

  waitFor(position: number, timeoutMs: number): Promise<boolean> {
    return waitForPosition(this.#mark, this.#options.feed, position, timeoutMs);
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
      whileWaiting: async () => this.#mark.advance(await this.#checkpoint.storedPosition()),
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#working;
  }

  async #work(signal: AbortSignal): Promise<void> {
    if (!(await this.#restore(signal))) return;
    signal.addEventListener('abort', () => this.#onOtherTypes(), { once: true });
    try {
      while (!signal.aborted) await this.#followSameTypes();
    } finally {
      this.#following = null;
      await this.#save();
    }
  }

  /**
   * Only asks for types with a subscriber, so that the log costs nothing without one. When more types begin to
   * matter, the events after that one are read again: the feed may have left them out.
   */
  async #followSameTypes(): Promise<void> {
    const { feed, mapping } = this.#options;
    const { promise: otherTypes, resolve } = Promise.withResolvers<void>();
    this.#onOtherTypes = resolve;
    const following = feed.follow({
      name: mapping.name,
      after: this.#checkpoint.reached.position,
      eventTypes: this.#wanted.take(this.#checkpoint.state),
      handle: (events, upTo) => this.#handle(events, upTo),
    });
    this.#following = following;
    await otherTypes;
    await following.leave();
  }

  /** False when the signal came first. */
  async #restore(signal: AbortSignal): Promise<boolean> {
    const { feed, mapping, log } = this.#options;
    let hasWaited = false;
    const isTakenUp = await resumeFromMark({
      name: mapping.name,
      restore: () => this.#checkpoint.restore(feed),
      onWaiting: (at) => {
        hasWaited ||= at !== null;
        this.#waiting = at;
      },
      log,
      signal,
    });
    const { position } = this.#checkpoint.reached;
    if (hasWaited && position < this.#mark.position) this.#mark = new PositionMark(START);
    if (isTakenUp) this.#mark.advance(position);
    return isTakenUp;
  }

  /** After a failure the same events come again: what has been dealt with is passed over, the state is that before. */
  async #handle(events: readonly Recorded[], upTo: LogMark): Promise<void> {
    const { reached: done, quietUpTo, idsSince } = this.#checkpoint;
    let state = this.#checkpoint.state;
    if (this.#wanted.differIn(state)) return;
    const fresh = events.filter(({ position }) => position > done.position);
    let last = done;
    let batch = new OutgoingBatch();
    for (const { event, ...whose } of await sealedEvents(this.#options.personalTexts, fresh)) {
      const before = state;
      try {
        state = this.#options.mapping.evolve(before, event);
        if (event.position > quietUpTo) {
          const hasOlderIds = event.position <= idsSince;
          const now = this.#options.clock.now();
          batch.add(this.#options.mapping.outgoing(state, event, { now, hasOlderIds, ...whose }));
        }
      } catch (error) {
        await this.#flush(batch, last, before);
        throw new PoisonedEvent(event.position, error);
      }
      last = markOf(event);
      const isTurn = state !== before && this.#wanted.differIn(state);
      if (!isTurn && !this.#isLarge(batch)) continue;
      await this.#flush(batch, last, state);
      if (isTurn) return this.#onOtherTypes();
      batch = new OutgoingBatch();
    }
    await this.#flush(batch, upTo.position > last.position ? upTo : last, state);
  }

  #isLarge({ isFull, writes }: OutgoingBatch): boolean {
    const { mostRows = Infinity } = this.#options;
    return isFull || writes.length >= mostRows || (writes.length >= ROWS_AT_A_TIME && this.#isBusy());
  }

  async #flush(batch: OutgoingBatch, upTo: LogMark, state: State): Promise<void> {
    const { stateStore, onSent, prepare = (outgoing) => outgoing } = this.#options;
    const { writes, messages } = await prepare(batch);
    if (writes.length > 0) {
      const checkpoint = this.#checkpoint.unkept();
      await stateStore.write([...writes, ...checkpoint.writes]);
      checkpoint.kept();
    }
    await this.#wake(messages);
    if (writes.length > 0) onSent?.(writes);
    this.#checkpoint.moveTo(upTo, state);
    this.#mark.advance(upTo.position);
    this.#saving ??= setTimeout(() => void this.#saveLater(), SAVE_AFTER_MILLISECONDS).unref();
    if (writes.length > 0) await this.#throttle(this.#stopping.signal);
  }

  async #wake(messages: readonly BusMessage[]): Promise<void> {
    const { bus, topic, wakeHere } = this.#options;
    if (wakeHere) for (const { key, value } of messages) wakeHere(key, value);
    else if (messages.length > 0) await bus.publish(topic, messages);
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
    await this.#checkpoint.save();
  }
}
