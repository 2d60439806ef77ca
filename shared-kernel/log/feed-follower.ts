import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '#kernel/clock.ts';
import type { Recorded } from '#kernel/event.ts';
import { EngineUnavailable, NoSuchPosition } from '#ports/engine-errors.ts';
import { MAX_PAGE, type LogMark } from '#ports/event-store.ts';
import { BackOff } from '#runtime/back-off.ts';
import { decodePage, type Chunk, type EventDecoder, type Wanted } from './decode-page.ts';
import type { LogSpan } from './log-span.ts';
import type { SharedPages } from './shared-pages.ts';
import { PositionMark, waitForPosition, type AwaitedLog } from './wait-for-position.ts';

/** A reader that takes the log in order. */
export interface Follower {
  readonly name: string;
  /** Position of the last event it has had already; START for everything. */
  readonly after: number;
  /** The types it takes; default: every type that this release knows. */
  readonly eventTypes?: ReadonlySet<string>;
  /** Whether it is told when each stretch of the log was recorded, wanted events or not. */
  readonly isTimed?: boolean;
  /**
   * One batch at a time, in position order, none twice. `upTo` is the last event that the log holds in this stretch;
   * there may be no wanted event in it. `EngineUnavailable`: the same batch comes again after a pause.
   * Any other error stops this follower: a `PoisonedEvent` says where, and what precedes it has been dealt with.
   */
  handle(events: readonly Recorded[], upTo: LogMark, spans: readonly LogSpan[]): Promise<void>;
  /**
   * Told of a stretch without wanted events instead of `handle`, while nothing is in hand: most followers want nothing
   * of most pages. False: `handle` is to be told. Not for who `isTimed`.
   */
  pass?(upTo: LogMark): boolean;
}

/** An event that a follower cannot take. */
export class PoisonedEvent extends Error {
  override readonly name = 'PoisonedEvent';
  readonly position: number;

  constructor(position: number, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.position = position;
  }
}

/** Where a follower stands still, and why. */
export interface StoppedAt {
  readonly position: number;
  readonly message: string;
}

/** A follower as those see it who started it or watch it. */
export interface Following {
  readonly name: string;
  /** Position of the last event received in order, handled or not wanted. */
  readonly position: number;
  /**
   * Age of the oldest event that it has still to take, by the shop's clock; while none can be read, for how long it has
   * been without at least. 0 when it is up to date.
   */
  readonly lagSeconds: number;
  readonly stopped: StoppedAt | null;
  /** False after `timeoutMs`; a position beyond the head counts as reached. */
  waitFor(position: number, timeoutMs: number): Promise<boolean>;
  /** Takes up again after `stopped`, at the batch that failed. */
  resume(): void;
  /** Leaves the feed once the batch in hand is done. */
  leave(): Promise<void>;
}

/** What a follower needs of its feed. `position` is null until the feed has started. */
export interface FeedSource {
  readonly pages: SharedPages;
  readonly decoder: EventDecoder;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  readonly position: () => number | null;
  readonly awaited: AwaitedLog;
  readonly onLeave: (follower: FeedFollower) => void;
}

/** More waiting events than this, and the follower reads for itself until it has caught up. */
const MAX_QUEUED = 10_000;
/** The most events of one batch, live or catching up. */
const MAX_BATCH = 4 * MAX_PAGE;

/**
 * One follower's loop. Live, it takes from a bounded queue what the feed has decoded for all. When the queue
 * overflows, or at the start, it reads pages from the store by itself and joins the feed again at the feed's
 * position; so slow followers hold up no others and memory stays bounded. Where the log has no such position it
 * stops.
 */
export class FeedFollower implements Following {
  readonly name: string;
  readonly #follower: Follower;
  readonly #wants: (type: string) => boolean;
  readonly #source: FeedSource;
  readonly #mark: PositionMark;
  readonly #leaving = new AbortController();
  readonly #backOff = new BackOff();
  #queue: Chunk[] = [];
  #queued = 0;
  #isLive = false;
  #isRunning = false;
  #running: Promise<void> = Promise.resolve();
  #oldest: Recorded | null = null;
  /** Since when it reads and has got nothing, by the shop's clock; null while it gets something. */
  #emptySince: number | null = null;
  #stopped: StoppedAt | null = null;

  constructor(follower: Follower, wants: (type: string) => boolean, source: FeedSource) {
    this.name = follower.name;
    this.#follower = follower;
    this.#wants = wants;
    this.#source = source;
    this.#mark = new PositionMark(follower.after);
  }

  get position(): number {
    return this.#mark.position;
  }

  get stopped(): StoppedAt | null {
    return this.#stopped;
  }

  get lagSeconds(): number {
    const isIdle = this.#isLive && !this.#isRunning;
    if (isIdle) return 0;
    const now = this.#source.clock.now();
    const recordedAt = this.#oldest ? Date.parse(this.#oldest.recordedAt) : now;
    return Math.max(0, now - recordedAt, now - (this.#emptySince ?? now)) / 1000;
  }

  get isTimed(): boolean {
    return this.#follower.isTimed ?? false;
  }

  /** Whether the feed has to decode events of this type for it. */
  wants(type: string): boolean {
    return this.#wants(type);
  }

  waitFor(position: number, timeoutMs: number): Promise<boolean> {
    return waitForPosition(this.#mark, this.#source.awaited, position, timeoutMs);
  }

  resume(): void {
    this.#stopped = null;
    this.wake();
  }

  async leave(): Promise<void> {
    this.#leaving.abort();
    this.#source.onLeave(this);
    await this.#running;
  }

  get #wanted(): Wanted {
    return { wants: this.#wants, isTimed: this.isTimed };
  }

  /** What the feed has received; those who are catching up come to it by themselves. */
  offer(chunks: readonly Chunk[]): void {
    if (!this.#isLive) return;
    for (const chunk of chunks) if (!this.#pass(chunk)) this.#enqueue(chunk);
    if (this.#queued > MAX_QUEUED) this.#fallBehind();
    if (this.#queue.length > 0 || !this.#isLive) this.wake();
  }

  wake(): void {
    const canRun =
      this.#source.position() !== null && !this.#leaving.signal.aborted && this.#stopped === null;
    if (this.#isRunning || !canRun) return;
    this.#isRunning = true;
    this.#running = this.#run();
  }

  async #run(): Promise<void> {
    try {
      while (!this.#leaving.signal.aborted && this.#stopped === null) {
        const batch = this.#take();
        if (batch) await this.#handle(batch);
        else if (this.#isLive) {
          this.#oldest = null;
          return;
        } else await this.#catchUp();
      }
    } finally {
      // In the same turn as the decision to stop, so that no event arrives in between unnoticed.
      this.#isRunning = false;
    }
  }

  /** Whether a chunk needs no batch of its own. */
  #pass({ events, upTo, undecodable }: Chunk): boolean {
    if (!this.#follower.pass || this.#isRunning || this.#queue.length > 0 || this.#stopped) return false;
    if (this.#leaving.signal.aborted || upTo.position <= this.position) return false;
    if ((undecodable !== null && this.#wants(undecodable.type)) || this.#hasWanted(events)) return false;
    if (!this.#follower.pass(upTo)) return false;
    this.#mark.advance(upTo.position);
    return true;
  }

  #hasWanted(events: readonly Recorded[]): boolean {
    for (const { type } of events) if (this.#wants(type)) return true;
    return false;
  }

  #enqueue(chunk: Chunk): void {
    this.#queue.push(chunk);
    this.#queued += chunk.size;
  }

  #fallBehind(): void {
    this.#queue = [];
    this.#queued = 0;
    this.#isLive = false;
  }

  /** All that waits, as one batch; an event that cannot be decoded alone. */
  #take(): Chunk | null {
    const [first] = this.#queue;
    if (!first) return null;
    let taken = 0;
    let size = 0;
    for (const { undecodable, size: more } of this.#queue) {
      if (taken > 0 && (undecodable !== null || size + more > MAX_BATCH)) break;
      taken++;
      size += more;
      if (undecodable !== null) break;
    }
    const chunks = this.#queue.splice(0, taken);
    this.#queued -= size;
    if (chunks.length === 1) return first;
    return {
      events: chunks.flatMap(({ events }) => events),
      upTo: chunks.at(-1)?.upTo ?? first.upTo,
      size,
      spans: chunks.flatMap(({ spans }) => spans),
      undecodable: null,
    };
  }

  async #handle({ events, upTo, spans, undecodable }: Chunk): Promise<void> {
    if (upTo.position <= this.position) return;
    if (undecodable !== null && this.#wants(undecodable.type)) {
      return this.#stop(new PoisonedEvent(upTo.position, `${undecodable.type}: ${undecodable.message}`));
    }
    const wanted = events.filter(({ type, position }) => position > this.position && this.#wants(type));
    this.#oldest = wanted[0] ?? this.#oldest;
    while (!this.#leaving.signal.aborted) {
      try {
        await this.#follower.handle(wanted, upTo, spans);
        this.#backOff.reset();
        this.#mark.advance(upTo.position);
        return;
      } catch (error) {
        if (!(error instanceof EngineUnavailable))
          return this.#stop(error, wanted[0]?.position ?? upTo.position);
        this.#source.log.warn({ follower: this.name, err: error }, 'engine away, the batch is tried again');
        await this.#backOff.wait(this.#leaving.signal);
      }
    }
  }

  #stop(error: unknown, firstOfBatch = this.position): void {
    const position = error instanceof PoisonedEvent ? error.position : firstOfBatch;
    const message = error instanceof Error ? error.message : String(error);
    this.#fallBehind();
    this.#stopped = { position, message };
    this.#source.log.error({ follower: this.name, position, err: error }, 'follower stopped at an event');
  }

  /** Reads a large batch into the queue, or joins the feed when nothing is between. */
  async #catchUp(): Promise<void> {
    const { pages, decoder, log, position, clock } = this.#source;
    this.#emptySince ??= clock.now();
    try {
      let last = this.position;
      while (last < (position() ?? last) && this.#queued + MAX_PAGE <= MAX_BATCH) {
        const page = await pages.read(last);
        const read = page.at(-1);
        if (!read) break;
        for (const chunk of await decodePage(decoder, page, this.#wanted)) this.#enqueue(chunk);
        last = read.position;
        await nextTurn();
      }
      if (this.#queue.length > 0) this.#got();
      else if (this.position >= (position() ?? 0)) this.#goLive();
      else await this.#backOff.wait(this.#leaving.signal);
    } catch (error) {
      if (error instanceof NoSuchPosition) return this.#stop(error);
      log.warn({ follower: this.name, err: error }, 'the log cannot be read, trying again');
      await this.#backOff.wait(this.#leaving.signal);
    }
  }

  #got(): void {
    this.#emptySince = null;
    this.#backOff.reset();
  }

  #goLive(): void {
    this.#emptySince = null;
    this.#isLive = true;
  }
}
