import { changesAt, type DatedStatus, type Dates } from '#values/dated-status.ts';
import { idOf } from '#values/stream-name.ts';
import { createSchedule } from './schedule.ts';
import { ChunkedEntries } from './chunked-entries.ts';

interface DatedEntry {
  readonly id: string;
  readonly rule: Dates;
  readonly status: DatedStatus;
}

interface Index<Entry> {
  put(entry: Entry, before: Entry | undefined): void;
  remove(entry: Entry): void;
  clear(): void;
}

/** Rules by id, in an index of their own, and by when their dates ask for another status. */
export const createDatedEntries = <Entry extends DatedEntry>(index: Index<Entry>) => {
  const entries = new ChunkedEntries<Entry>();
  const changing = createSchedule();
  const put = (entry: Entry): void => {
    const { id, rule, status } = entry;
    index.put(entry, entries.get(id));
    entries.set(id, entry);
    const at = changesAt(rule, status);
    if (at === null) changing.remove(id);
    else changing.set(id, at);
  };
  return {
    entries,
    put,
    change: (stream: string, changes: Partial<Entry>): void => {
      const known = entries.get(idOf(stream));
      if (known) put({ ...known, ...changes });
    },
    remove: (stream: string): void => {
      const known = entries.get(idOf(stream));
      if (!known) return;
      entries.delete(known.id);
      index.remove(known);
      changing.remove(known.id);
    },
    /** As `ReferencePart` and the references of such rules have them. */
    kept: {
      entries,
      byId: (id: string): Entry | undefined => entries.get(id),
      changing: changing.due,
      restore: (kept: readonly (readonly [key: string, kept: unknown])[]): void => {
        for (const [, entry] of kept) put(entry as Entry);
      },
      clear: (): void => {
        index.clear();
        changing.clear();
      },
    },
  };
};
