import type { Logger } from 'pino';
import type { Feed } from '#log/feed.ts';
import type { Following } from '#log/feed-follower.ts';
import {
  blockOf,
  documentOf,
  timeBlocksCollection,
  type BlockDocument,
  type BlockPlace,
  type TimeBlock,
} from '#log/kept-time-blocks.ts';
import { instantOf, type LogSpan } from '#log/log-span.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { MAX_PAGE, START, type EventStore, type StoredEvent } from '#ports/event-store.ts';
import type { Contribution } from '../../shared-kernel/module.ts';
import { TimeBlocks } from './time-blocks.ts';

/** Which stretch of the log was recorded when, on every engine. It sees events as they are stored and decodes none. */
export interface TimeIndex {
  /** Position of the last event that it has seen. */
  readonly position: number;
  /** False after `timeoutMs`. */
  waitFor(position: number, timeoutMs: number): Promise<boolean>;
  /**
   * Position of the last event that was recorded at or before the instant; START before the first one. Later events
   * may be recorded before it as well, where several clocks write. Errors: `EngineUnavailable`.
   */
  lastRecordedBy(instant: number): Promise<number>;
  /**
   * A position after which all events are that were recorded at or after the instant, the next one among them where
   * there is any. Errors: `EngineUnavailable`.
   */
  before(instant: number): Promise<number>;
  /** What a process does with it: it is watched, waited for and stopped. */
  readonly parts: Contribution;
}

export interface TimeIndexOptions {
  readonly feed: Pick<Feed, 'follow' | 'confirm' | 'head'>;
  readonly store: Pick<EventStore, 'readAll'>;
  readonly readStore: DocumentStore;
  readonly log: Pick<Logger, 'warn'>;
}

const PAGE = 1000;
/** Look-ups that are remembered: each reads up to 1,000 events otherwise. */
const MAX_REMEMBERED = 500;

/** Takes the index up where it was left, and follows the log from there. Errors: `EngineUnavailable`. */
export const followTimes = async (options: TimeIndexOptions): Promise<TimeIndex> =>
  new FollowedTimes(options, await restoreBlocks(options));

/**
 * What was kept, as far as it is without a gap. A log that does not hold its last event was restored to an older copy:
 * all of it goes, and is made again.
 */
const restoreBlocks = async ({ feed, readStore, log }: TimeIndexOptions): Promise<TimeBlocks> => {
  await readStore.declare(timeBlocksCollection);
  const blocks = new TimeBlocks();
  let last: TimeBlock | null = null;
  for (let after = ''; ;) {
    const page: readonly BlockDocument[] = await readStore.find<BlockDocument>(timeBlocksCollection, {
      filter: { _id: { gt: after } },
      sort: [['_id', 1]],
      limit: PAGE,
    });
    for (const block of page.map(blockOf)) if (blocks.restore(block)) last = block;
    if (page.length < PAGE) break;
    after = page.at(-1)?._id ?? after;
  }
  if (last && !(await feed.confirm(last.upTo))) {
    log.warn(
      { position: last.upTo.position },
      'the log does not hold the event that the index of time had reached: it was restored; the index is made again',
    );
    blocks.clear();
    await readStore.drop(timeBlocksCollection);
    await readStore.declare(timeBlocksCollection);
  }
  return blocks;
};

class FollowedTimes implements TimeIndex {
  readonly #options: TimeIndexOptions;
  readonly #blocks: TimeBlocks;
  readonly #following: Following;
  /** Closed, not in the store yet. */
  #unkept: TimeBlock[] = [];
  readonly #remembered = new Map<string, number>();

  constructor(options: TimeIndexOptions, blocks: TimeBlocks) {
    this.#options = options;
    this.#blocks = blocks;
    this.#following = options.feed.follow({
      name: 'time index',
      after: blocks.covered,
      eventTypes: new Set(),
      isTimed: true,
      handle: (_events, _upTo, spans) => this.#take(spans),
    });
  }

  get position(): number {
    return this.#following.position;
  }

  get parts(): Contribution {
    return {
      checks: [{ name: 'time index', check: () => this.#problem() }],
      followers: [
        {
          name: 'time index',
          waitFor: (...args) => this.waitFor(...args),
          stopped: () => this.#following.stopped,
        },
      ],
      measure: (metrics) =>
        metrics.gauge(
          'tillroll_time_index_blocks',
          'Entries of the index of time',
          () => this.#blocks.length,
        ),
      stop: () => this.#stop(),
    };
  }

  waitFor(position: number, timeoutMs: number): Promise<boolean> {
    return this.#following.waitFor(position, timeoutMs);
  }

  async lastRecordedBy(instant: number): Promise<number> {
    for (let index = this.#blocks.lastBegunBy(instant); index >= 0; index--) {
      const place = this.#blocks.place(index);
      const found = await this.#remember(`by ${instant}`, place, async () => {
        const events = await this.#eventsOf(place);
        return events.findLast((event) => (instantOf(event) ?? Infinity) <= instant)?.position;
      });
      if (found !== undefined) return found;
    }
    return START;
  }

  async before(instant: number): Promise<number> {
    const { length } = this.#blocks;
    for (let index = this.#blocks.firstEndedFrom(instant); index < length; index++) {
      const place = this.#blocks.place(index);
      const found = await this.#remember(`before ${instant}`, place, async () => {
        const events = await this.#eventsOf(place);
        const first = events.findIndex((event) => (instantOf(event) ?? -Infinity) >= instant);
        return first < 0 ? undefined : (events[first - 1]?.position ?? place.after);
      });
      if (found !== undefined) return found;
    }
    return this.#blocks.covered;
  }

  #problem(): string | null {
    const { stopped } = this.#following;
    return stopped && `stopped at position ${stopped.position}: ${stopped.message}`;
  }

  async #take(spans: readonly LogSpan[]): Promise<void> {
    for (const span of spans) {
      const closed = this.#blocks.add(span);
      if (closed) this.#unkept.push(closed);
    }
    await this.#keep();
  }

  async #keep(): Promise<void> {
    if (this.#unkept.length === 0) return;
    const kept = this.#unkept.map((block) => ({
      collection: timeBlocksCollection,
      put: documentOf(block),
    }));
    await this.#options.readStore.write(kept);
    this.#unkept = [];
  }

  /** The next start then reads nothing again. */
  async #stop(): Promise<void> {
    await this.#following.leave();
    const last = this.#blocks.close();
    if (last) this.#unkept.push(last);
    try {
      await this.#keep();
    } catch (error) {
      this.#options.log.warn(
        { err: error },
        'the end of the index of time could not be kept, it is made again',
      );
    }
  }

  async #eventsOf({ after, upTo }: BlockPlace): Promise<readonly StoredEvent[]> {
    const events: StoredEvent[] = [];
    for (let last = after; last < upTo;) {
      const page = await this.#options.store.readAll(last, MAX_PAGE);
      events.push(...page.filter(({ position }) => position <= upTo));
      last = page.at(-1)?.position ?? upTo;
    }
    return events;
  }

  /** What a block says does not change; the last one grows, and has another name then. */
  async #remember(
    question: string,
    { after, upTo }: BlockPlace,
    look: () => Promise<number | undefined>,
  ): Promise<number | undefined> {
    const key = `${question} in ${after}-${upTo}`;
    const known = this.#remembered.get(key);
    if (known !== undefined) return known;
    const found = await look();
    if (found !== undefined) this.#remembered.set(key, found);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > MAX_REMEMBERED && oldest !== undefined) this.#remembered.delete(oldest);
    return found;
  }
}
