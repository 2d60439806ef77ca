import { wantedBy } from '#log/event-filter.ts';
import { instantOf } from '#log/log-span.ts';
import { searchedPages, type LogSearch, type SearchedLog } from '#log/search-log.ts';
import { isoInstant } from '#kernel/clock.ts';
import type { StoredEvent } from '#ports/event-store.ts';

/** A place that a search has looked at. */
export interface LookedAt {
  readonly position: number;
  /** Null where the event does not say when it was recorded. */
  readonly recordedAt: string | null;
}

export interface SearchPage {
  readonly events: readonly StoredEvent[];
  readonly lookedFrom: LookedAt | null;
  readonly lookedUpTo: LookedAt | null;
  /** Null once all was looked through. */
  readonly next: number | null;
}

/** How much one request does at most. */
export interface SearchBounds {
  readonly limit: number;
  /** Characters that it answers, but one event at least: a moment's work. */
  readonly mostCharacters?: number;
  /** How long it looks: what is rare is found by going on. Real time; one page at least. */
  readonly mostMilliseconds?: number;
}

const lookedAt = (event: StoredEvent | undefined): LookedAt | null => {
  if (!event) return null;
  const instant = instantOf(event);
  return { position: event.position, recordedAt: instant === null ? null : isoInstant(instant) };
};

/** Looks through the log until a page is full, a bound is reached or the range ends. Errors: see `searchedPages`. */
export const searchPage = async (
  log: SearchedLog,
  search: LogSearch,
  { limit, mostCharacters = 1_000_000, mostMilliseconds = 1000 }: SearchBounds,
): Promise<SearchPage> => {
  const isWanted = wantedBy(search.filter);
  const events: StoredEvent[] = [];
  let [first, last]: (StoredEvent | undefined)[] = [];
  const endsAt = performance.now() + mostMilliseconds;
  let characters = 0;
  const pageUpTo = (isAll: boolean): SearchPage => ({
    events,
    lookedFrom: lookedAt(first),
    lookedUpTo: lookedAt(last),
    next: isAll ? null : (last?.position ?? null),
  });
  for await (const page of searchedPages(log, search)) {
    for (const event of page) {
      if (isWanted(event)) {
        characters += event.data.length + event.metadata.length;
        if (events.length === limit || (events.length > 0 && characters > mostCharacters))
          return pageUpTo(false);
        events.push(event);
      }
      first ??= event;
      last = event;
    }
    if (performance.now() >= endsAt) return pageUpTo(false);
  }
  return pageUpTo(true);
};
