import { START, type StoredEvent } from '#ports/event-store.ts';
import type { Page } from './read-page.ts';
import type { streams } from './protocol.ts';
import { isSystemEvent, readBackwards, readLastOfOurs } from './read-messages.ts';

/** Positions are bytes: so much of the log is gone through rather than filtered by the server. */
const LONGEST_WALK_BYTES = 256 * 1024;
/** More events than any such stretch holds. */
const WHOLE_STRETCH = 1_000_000;

/** How the head reads the log. */
export interface HeadSource {
  read(message: streams.ReadReq, isLast?: (event: StoredEvent) => boolean): Promise<Page>;
  /** Grows with every new connection: what was seen over another one is forgotten. */
  readonly generation: number;
}

/** What was known when the log's last event was at `end`. */
interface Seen {
  readonly generation: number;
  readonly end: number;
  readonly head: number;
}

/**
 * The position of the last event that is not the server's own, in one call or two. Reads with the server's filter are
 * slow, and many at once bring it to a stand: they are made only where too much of the log has gone by unseen.
 */
export class LogHead {
  readonly #source: HeadSource;
  #seen: Seen | undefined;
  #running: Promise<number> | undefined;
  #next: Promise<number> | undefined;

  constructor(source: HeadSource) {
    this.#source = source;
  }

  /**
   * Shared by those who ask while an answer is on its way; no one gets an answer to an earlier question than their
   * own.
   */
  read(): Promise<number> {
    if (!this.#running) return this.#begin();
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.#running ?? this.#begin();
      });
    return this.#next;
  }

  #begin(): Promise<number> {
    this.#running = this.#find().finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #find(): Promise<number> {
    const { generation } = this.#source;
    const [last] = (await this.#source.read(readBackwards(1))).events;
    if (!last) return START;
    const seen = this.#seen?.generation === generation ? this.#seen : undefined;
    const { end, head } = isSystemEvent(last)
      ? await this.#behind(last.position, seen)
      : { end: last.position, head: last.position };
    this.#seen = { generation, end, head };
    return head;
  }

  /** The log ends with an event of the server at `end`. */
  async #behind(end: number, seen: Seen | undefined): Promise<Pick<Seen, 'end' | 'head'>> {
    if (seen && end === seen.end) return seen;
    if (seen && end > seen.end && end - seen.end <= LONGEST_WALK_BYTES) return this.#walkBackTo(seen);
    const [ours] = (await this.#source.read(readLastOfOurs())).events;
    const head = ours?.position ?? START;
    return { end: Math.max(end, head), head };
  }

  async #walkBackTo(seen: Seen): Promise<Pick<Seen, 'end' | 'head'>> {
    const { events } = await this.#source.read(
      readBackwards(WHOLE_STRETCH),
      (event) => !isSystemEvent(event) || event.position <= seen.end,
    );
    const end = events[0]?.position ?? seen.end;
    const last = events.at(-1);
    return { end, head: last && !isSystemEvent(last) ? last.position : seen.head };
  }
}
