import { LRUCache } from 'lru-cache';
import type { EventDefinition } from '#events/define-events.ts';
import { repeatedFieldsOf } from '#events/registry.ts';
import type { DomainEvent, Recorded } from '#kernel/event.ts';
import type { EventStore, StoredEvent } from '#ports/event-store.ts';
import { inParallel } from '#runtime/work-off.ts';
import { ReadEvent } from './read-event.ts';
import type { Fields } from './sealed-fields.ts';

/** What the last event of a type has said in a stream that later ones may leave to it, and where. */
export interface Said {
  readonly revision: number;
  readonly fields: Fields;
}

/** By event type, what a stream has said that its later events may say again. */
export type SaidInStream = ReadonlyMap<string, Said>;

/** Stands for a field that is as the event of this revision says it. */
interface AsAt {
  readonly $asAt: number;
}

/** Takes note of an event that later ones may repeat; `said` is of its stream. */
export const noteSaid = (said: Map<string, Said>, event: DomainEvent, revision: number): void => {
  const fields = saidIn(event);
  if (fields) said.set(event.type, { revision, fields });
};

/** Null where nothing of it is ever left out. */
const saidIn = (event: DomainEvent): Fields | null => {
  const fields = repeatedFieldsOf(event.type);
  if (fields.length === 0) return null;
  const data = event.data as Fields;
  return Object.fromEntries(fields.map((field) => [field, data[field]]));
};

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The data without what its stream has said already; the very same data where that is nothing. */
export const leaveOutSaid = (
  { repeats }: EventDefinition,
  data: Fields,
  revision: number,
  said: SaidInStream,
): Fields => {
  let left = data;
  for (const { field, of } of repeats) {
    const before = said.get(of);
    if (before === undefined || before.revision >= revision) continue;
    if (isSame(before.fields[field], data[field]))
      left = { ...left, [field]: { $asAt: before.revision } satisfies AsAt };
  }
  return left;
};

/** A field that an event leaves to an earlier one. */
export interface LeftOut {
  readonly field: string;
  readonly revision: number;
}

export const leftOutOf = ({ repeats }: EventDefinition, data: Fields): readonly LeftOut[] => {
  if (repeats.length === 0) return [];
  return repeats.flatMap(({ field }) => {
    const revision = (data[field] as Partial<AsAt> | undefined)?.$asAt;
    return revision === undefined ? [] : [{ field, revision }];
  });
};

/** An event as read, and what of it an earlier one says. */
export interface Incomplete {
  readonly event: Recorded;
  readonly leftOut: readonly LeftOut[];
}

/** Characters of events that are kept in case later ones leave something to them. */
const MOST_CHARACTERS = 1024 * 1024;
const READ_AT_ONCE = 16;

const nameOf = (stream: string, revision: number): string => `${stream}@${revision}`;

/**
 * Gives events back what they leave to earlier ones. Those that this process has met lately are at hand, the others are
 * read from their streams. Errors: `EngineUnavailable`; an `Error` where the earlier event is not there.
 */
export class SaidBefore {
  readonly #store: Pick<EventStore, 'readStream'>;
  readonly #decode: (stored: StoredEvent) => Recorded;
  readonly #kept = new LRUCache<string, Fields>({ maxSize: MOST_CHARACTERS });

  /** `decode`: without what a key would open. */
  constructor(store: Pick<EventStore, 'readStream'>, decode: (stored: StoredEvent) => Recorded) {
    this.#store = store;
    this.#decode = decode;
  }

  /** An event of the log that has just been read. */
  note(event: Recorded, size: number): void {
    const fields = saidIn(event);
    if (fields) this.#kept.set(nameOf(event.stream, event.revision), fields, { size });
  }

  async complete(read: readonly Incomplete[]): Promise<readonly Recorded[]> {
    const wanted = new Map<string, { readonly stream: string; readonly revision: number }>();
    for (const { event, leftOut } of read) {
      for (const { revision } of leftOut)
        wanted.set(nameOf(event.stream, revision), { stream: event.stream, revision });
    }
    if (wanted.size === 0) return read.map(({ event }) => event);
    const found = new Map<string, Fields>();
    await inParallel(wanted, READ_AT_ONCE, async ([name, { stream, revision }]) => {
      found.set(name, await this.#said(name, stream, revision));
    });
    return read.map(({ event, leftOut }) => completed(event, leftOut, found));
  }

  async #said(name: string, stream: string, revision: number): Promise<Fields> {
    const kept = this.#kept.get(name);
    if (kept) return kept;
    const [stored] = await this.#store.readStream(stream, { fromRevision: revision, limit: 1 });
    if (stored?.revision !== revision)
      throw new Error(`${name}, which a later event refers to, is not there`);
    const event = this.#decode(stored);
    this.note(event, stored.data.length);
    return saidIn(event) ?? {};
  }
}

const completed = (
  event: Recorded,
  leftOut: readonly LeftOut[],
  found: ReadonlyMap<string, Fields>,
): Recorded => {
  if (leftOut.length === 0) return event;
  const filled = leftOut.map(({ field, revision }) => [
    field,
    found.get(nameOf(event.stream, revision))?.[field],
  ]);
  const readData = (): unknown => ({ ...(event.data as Fields), ...Object.fromEntries(filled) });
  return new ReadEvent(event, readData, () => event.metadata);
};
