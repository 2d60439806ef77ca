import { LRUCache } from 'lru-cache';
import { MAX_PAGE, type EventStore, type StoredEvent } from '#ports/event-store.ts';

type Page = readonly StoredEvent[];

interface KeptPage {
  readonly after: number;
  readonly page: Page;
}

const MAX_KEPT = 4;
/** Followers that begin together are through before that; a page is too large to be kept for good. */
const KEPT_MILLISECONDS = 5000;

/**
 * Pages of the log for followers that catch up. Many begin at one place, or nearly: all views of a process that takes
 * over from another do. They share one read, and what it brought for a while.
 */
export class SharedPages {
  readonly #store: Pick<EventStore, 'readAll'>;
  readonly #kept = new LRUCache<number, KeptPage>({
    max: MAX_KEPT,
    ttl: KEPT_MILLISECONDS,
    ttlAutopurge: true,
  });
  readonly #reading = new Map<number, Promise<Page>>();

  constructor(store: Pick<EventStore, 'readAll'>) {
    this.#store = store;
  }

  /**
   * Events after a position: at least one where the log has any; after the last of them there may be more. Errors: as
   * `readAll` of the log.
   */
  read(after: number): Promise<Page> {
    const kept = this.#keptAfter(after);
    if (kept) return Promise.resolve(kept);
    const begun = this.#reading.get(after);
    if (begun) return begun;
    const reading = this.#read(after).finally(() => this.#reading.delete(after));
    this.#reading.set(after, reading);
    return reading;
  }

  async #read(after: number): Promise<Page> {
    const page = await this.#store.readAll(after, MAX_PAGE);
    if (page.length > 0) this.#kept.set(after, { after, page });
    return page;
  }

  #keptAfter(after: number): Page | null {
    for (const kept of this.#kept.values()) {
      if (after < kept.after || after >= (kept.page.at(-1)?.position ?? after)) continue;
      return after === kept.after ? kept.page : kept.page.filter(({ position }) => position > after);
    }
    return null;
  }
}
