/**
 * What ended lately, by id: a repeat of it must not happen again. It changes in place, and in two halves, of which the
 * older one is dropped whole: remembering costs the same however much there is.
 */
export interface Recent<Entry> {
  newer: Record<string, Entry>;
  older: Record<string, Entry>;
  /** How many have come into the newer half. */
  count: number;
  /** When the newer half began, an ISO 8601 instant; null where unknown. */
  since: string | null;
}

/** Two halves of at most this many: the last thousand. */
const MOST_IN_A_HALF = 500;
/** Remembered however long ago they ended: nothing else may have happened since. */
const FEWEST_IN_A_HALF = 20;
const HOUR_MILLISECONDS = 3_600_000;

export const nothingRecent = <Entry>(): Recent<Entry> => ({ newer: {}, older: {}, count: 0, since: null });

export const recall = <Entry>({ newer, older }: Recent<Entry>, id: string): Entry | undefined =>
  newer[id] ?? older[id];

export const forget = ({ newer, older }: Recent<unknown>, id: string): void => {
  delete newer[id];
  delete older[id];
};

const isFull = ({ count, since }: Recent<unknown>, at: string | undefined): boolean =>
  count >= MOST_IN_A_HALF ||
  (count >= FEWEST_IN_A_HALF &&
    since !== null &&
    at !== undefined &&
    Date.parse(at) - Date.parse(since) > HOUR_MILLISECONDS);

/**
 * Remembers what has ended at an ISO 8601 instant, where that is known. The last 20 are always there, those of the last
 * hour up to the last 500, and never more than 1,000.
 */
export const remember = <Entry>(recent: Recent<Entry>, id: string, entry: Entry, at?: string): void => {
  forget(recent, id);
  if (isFull(recent, at)) Object.assign(recent, { ...nothingRecent(), older: recent.newer });
  recent.newer[id] = entry;
  recent.count++;
  recent.since ??= at ?? null;
};
