import type { Logger } from 'pino';
import { eventDefinition } from '#events/registry.ts';
import type { Clock } from '#kernel/clock.ts';
import { START, type EventStore, type LogMark, type StoredEvent } from '#ports/event-store.ts';
import { BackOff } from '#runtime/back-off.ts';
import { confirmMark } from './confirm-mark.ts';
import { decodePage, type Chunk, type EventDecoder } from './decode-page.ts';
import { FeedFollower, type Follower, type Following } from './feed-follower.ts';
import { SharedPages } from './shared-pages.ts';
import { watchedSubscription, type Look } from './watched-subscription.ts';

/** The one reader of the log in a process: decodes each event once and fans it out. */
export interface Feed {
  /** Position up to which the log is known here. */
  readonly position: number;
  readonly followers: readonly Following[];
  /** How many subscriptions of the log have gone silent since the start, and were left for another one. */
  readonly silences: number;
  /** Followers may register before or after; none is served before. Errors: `EngineUnavailable`. */
  start(): Promise<void>;
  follow(follower: Follower): Following;
  /** Reads on at once, for a caller that waits. */
  hurry(): void;
  /** Asks the log itself; the feed reads on at once. Errors: `EngineUnavailable`. */
  head(): Promise<number>;
  /** See `confirmMark`. */
  confirm(mark: LogMark): Promise<LogMark | null>;
  /** Lets every follower finish its batch. */
  stop(): Promise<void>;
}

export interface FeedOptions {
  readonly store: EventStore;
  readonly codec: EventDecoder;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  /** For tests, which cannot wait as long as a shop. */
  readonly lookMilliseconds?: number;
}

/**
 * After a page the feed rests, so that under load the next one is larger and each page's costs (a write for every
 * projection) are shared by more events. An event that comes after a quiet moment is passed on at once.
 */
const REST_MILLISECONDS = 10;

export const createFeed = (options: FeedOptions): Feed => new LogFeed(options);

const isKnown = (type: string): boolean => eventDefinition(type) !== undefined;

class LogFeed implements Feed {
  readonly #options: FeedOptions;
  readonly #stopping = new AbortController();
  readonly #followers = new Set<FeedFollower>();
  readonly #pages: SharedPages;
  /** Whether any of them wants a type. */
  readonly #known = new Map<string, boolean>();
  #position: number | null = null;
  #silences = 0;
  #reading: Promise<void> = Promise.resolve();
  /** Grows when a follower joins whose types the current page may have been decoded without. */
  #joined = 0;
  /** A caller waits for what the feed has not read yet. */
  #isHurried = false;
  #endRest: () => void = () => undefined;

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#pages = new SharedPages(options.store);
  }

  get position(): number {
    return this.#position ?? START;
  }

  get followers(): readonly Following[] {
    return [...this.#followers];
  }

  get silences(): number {
    return this.#silences;
  }

  hurry(): void {
    this.#isHurried = true;
    this.#endRest();
  }

  head(): Promise<number> {
    this.hurry();
    return this.#options.store.head();
  }

  confirm(mark: LogMark): Promise<LogMark | null> {
    return confirmMark(this.#options.store, mark);
  }

  async start(): Promise<void> {
    if (this.#position !== null) return;
    this.#position = await this.head();
    this.#reading = this.#read();
    for (const follower of this.#followers) follower.wake();
  }

  follow(follower: Follower): Following {
    const { codec, clock, log } = this.#options;
    const { eventTypes } = follower;
    const wants = eventTypes ? (type: string) => eventTypes.has(type) : isKnown;
    const following = new FeedFollower(follower, wants, {
      pages: this.#pages,
      decoder: codec,
      clock,
      log,
      position: () => this.#position,
      awaited: this,
      onLeave: (one) => {
        this.#followers.delete(one);
        this.#known.clear();
      },
    });
    this.#followers.add(following);
    this.#known.clear();
    this.#joined++;
    following.wake();
    return following;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.hurry();
    await Promise.all([this.#reading, ...[...this.#followers].map((follower) => follower.leave())]);
  }

  async #read(): Promise<void> {
    const { store, log, lookMilliseconds } = this.#options;
    const { signal } = this.#stopping;
    const backOff = new BackOff();
    const onSilent = (look: Look): void => {
      this.#silences++;
      log.warn(look, 'the log was followed and said nothing although it went on, following again from here');
    };
    while (!signal.aborted) {
      try {
        for await (const page of watchedSubscription(store, this.position, signal, {
          lookMilliseconds,
          onSilent,
        })) {
          await this.#receive(page);
          backOff.reset();
          await this.#rest();
        }
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ position: this.#position, err: error }, 'the log went away, following again from here');
      }
      if (!signal.aborted) await backOff.wait(signal);
    }
  }

  async #rest(): Promise<void> {
    if (!this.#isHurried) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, REST_MILLISECONDS);
        this.#endRest = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#isHurried = false;
  }

  /** Drops what an engine delivers twice or late: positions only grow. */
  async #receive(page: readonly StoredEvent[]): Promise<void> {
    let last = this.position;
    const fresh: StoredEvent[] = [];
    for (const event of page) {
      if (event.position <= last) continue;
      last = event.position;
      fresh.push(event);
    }
    if (fresh.length === 0) return;
    const chunks = await this.#decode(fresh);
    this.#position = last;
    for (const follower of this.#followers) follower.offer(chunks);
  }

  async #decode(page: readonly StoredEvent[]): Promise<readonly Chunk[]> {
    for (;;) {
      const joined = this.#joined;
      const wanted = new Set<string>();
      for (const { type } of page) {
        if (!wanted.has(type) && this.#isWanted(type)) wanted.add(type);
      }
      const isTimed = [...this.#followers].some(({ isTimed }) => isTimed);
      const chunks = await decodePage(this.#options.codec, page, {
        wants: (type) => wanted.has(type),
        isTimed,
      });
      if (joined === this.#joined) return chunks;
    }
  }

  #isWanted(type: string): boolean {
    const known = this.#known.get(type);
    if (known !== undefined) return known;
    const isWanted = [...this.#followers].some((follower) => follower.wants(type));
    this.#known.set(type, isWanted);
    return isWanted;
  }
}
