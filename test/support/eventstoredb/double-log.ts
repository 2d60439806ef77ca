import { EventEmitter, once } from 'node:events';
import { closeSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';

export interface ProposedEvent {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Buffer;
  readonly metadata: Buffer;
}

export interface LoggedEvent extends ProposedEvent {
  readonly stream: string;
  readonly revision: number;
  /** Commit position. */
  readonly position: number;
  /** Position of the first event of the same append, which the server answers as the prepare position. */
  readonly transaction: number;
}

/** A revision, or what else the protocol lets a writer expect. */
export type Expected = number | 'any' | 'stream exists';

export type Verdict =
  | { readonly kind: 'written'; readonly revision: number; readonly position: number }
  | { readonly kind: 'conflict'; readonly current: number }
  | { readonly kind: 'deleted' };

interface Line {
  readonly stream: string;
  /** Id, type, content type, and in base64 data and metadata. */
  readonly events: readonly (readonly [string, string, string, string, string])[];
}

/** Beyond 32 bits, as in a log of some age. */
const FIRST_POSITION = 5_000_000_000;
const OVERHEAD_OF_AN_EVENT = 97;
const OVERHEAD_OF_AN_APPEND = 61;

/**
 * The log of the double, in memory, and in a file if it has one: a line for each append, so that it outlives a kill of
 * its process (not of its machine). Positions are byte offsets of an imaginary log file. The server's own events lie
 * between those of its clients; they follow from them, so that a restart brings forth the same.
 */
export class DoubleLog {
  readonly #file: number | undefined;
  readonly #all: LoggedEvent[] = [];
  readonly #streams = new Map<string, LoggedEvent[]>();
  readonly #changes = new EventEmitter().setMaxListeners(0);
  /** Streams that an operator has cut: the first revision that readers still see. */
  readonly #cuts = new Map<string, number>();
  readonly #tombstones = new Set<string>();
  #end = FIRST_POSITION;
  #appends = 0;

  constructor(path?: string) {
    this.#write('$$$settings', [systemEvent('$metadata', '{"$acl":{}}')]);
    if (path === undefined) return;
    this.#file = openSync(path, 'a+');
    const text = readFileSync(path, 'utf8');
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    if (whole.length < text.length) truncateSync(path, Buffer.byteLength(whole));
    for (const line of whole.split('\n')) if (line) this.#replay(JSON.parse(line) as Line);
  }

  /** As the server judges: what is where the append says that it belongs is compared by id. */
  append(stream: string, expected: Expected, events: readonly ProposedEvent[]): Verdict {
    if (this.#tombstones.has(stream)) return { kind: 'deleted' };
    const present = this.#streams.get(stream) ?? [];
    const current = present.length - 1;
    // A stream that was deleted softly is there for nobody, and goes on where it ended.
    const wanted = expected === -1 && this.isGone(stream) ? current : expected;
    const before = typeof wanted === 'number' ? wanted : current;
    if (before > current || (expected === 'stream exists' && current < 0))
      return { kind: 'conflict', current };
    if (before < current) {
      const there = present.slice(before + 1, before + 1 + events.length);
      const last = there.at(-1);
      const isRepeat =
        there.length === events.length && there.every(({ id }, index) => id === events[index]?.id);
      if (!isRepeat || last === undefined) return { kind: 'conflict', current };
      return { kind: 'written', revision: last.revision, position: last.position };
    }
    if (this.#file !== undefined) writeSync(this.#file, `${JSON.stringify(lineOf(stream, events))}\n`);
    if (this.#cuts.get(stream) === Infinity) this.#cuts.set(stream, present.length);
    return this.#take(stream, events);
  }

  /** What readers see of a stream. */
  stream(name: string): readonly LoggedEvent[] {
    const events = this.#streams.get(name) ?? [];
    const cut = this.#cuts.get(name);
    return cut === undefined ? events : events.slice(cut);
  }

  /** True when readers are told that there is no such stream. */
  isGone(name: string): boolean {
    const events = this.#streams.get(name) ?? [];
    return events.length === 0 || this.#cuts.get(name) === Infinity;
  }

  isTombstoned(name: string): boolean {
    return this.#tombstones.has(name);
  }

  /** As `$maxCount`, `$maxAge` and `$tb` do it: what comes before `revision` is gone for who reads the stream. */
  cut(name: string, revision: number): void {
    this.#cuts.set(name, revision);
  }

  /** As the server's console does it: no stream is there, and what is appended next goes on where it ended. */
  deleteSoftly(name: string): void {
    this.#cuts.set(name, Infinity);
  }

  /** For good: nobody reads it or appends to it again. */
  tombstone(name: string): void {
    this.#tombstones.add(name);
  }

  /** A log of its own that begins as this one is now, as the files of another node. In memory only. */
  fork(): DoubleLog {
    const copy = new DoubleLog();
    copy.#all.length = 0;
    copy.#all.push(...this.#all);
    copy.#streams.clear();
    for (const [name, events] of this.#streams) copy.#streams.set(name, [...events]);
    for (const [name, cut] of this.#cuts) copy.#cuts.set(name, cut);
    for (const name of this.#tombstones) copy.#tombstones.add(name);
    copy.#end = this.#end;
    copy.#appends = this.#appends;
    return copy;
  }

  /** False where a read of all cannot begin: inside a record. */
  isPlace(position: number): boolean {
    if (position >= this.#end || position <= FIRST_POSITION) return true;
    return this.#all[this.indexFrom(position)]?.position === position;
  }

  /** As a restored copy of the files: whatever is beyond `position` has never been. */
  restoreTo(position: number): void {
    this.#all.length = this.indexFrom(position + 1);
    for (const [name, events] of this.#streams) {
      this.#streams.set(
        name,
        events.filter((event) => event.position <= position),
      );
    }
    this.#end = position + OVERHEAD_OF_AN_APPEND;
  }

  /** The server's own statistics of so many half minutes. */
  addStatistics(count: number): void {
    this.#writeStatistics(count);
    this.#changes.emit('change');
  }

  /** The whole log, the server's own events included. */
  get all(): readonly LoggedEvent[] {
    return this.#all;
  }

  /** The index in `all` of the first event at `position` or behind it. */
  indexFrom(position: number): number {
    let low = 0;
    let high = this.#all.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#all[middle]?.position ?? Infinity) < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Told of each append, at once. Returns how to stop that. */
  onChange(listener: () => void): () => void {
    this.#changes.on('change', listener);
    return () => void this.#changes.off('change', listener);
  }

  /** Resolves with the next append; rejects when the signal aborts. */
  async changed(signal: AbortSignal): Promise<void> {
    await once(this.#changes, 'change', { signal });
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }

  #replay({ stream, events }: Line): void {
    const proposed = events.map(([id, type, contentType, data, metadata]) => ({
      id,
      type,
      contentType,
      data: Buffer.from(data, 'base64'),
      metadata: Buffer.from(metadata, 'base64'),
    }));
    this.#take(stream, proposed);
  }

  #take(stream: string, events: readonly ProposedEvent[]): Verdict {
    const { revision, position } = this.#write(stream, events);
    this.#addSystemEvents(stream, revision);
    this.#changes.emit('change');
    return { kind: 'written', revision, position };
  }

  /** Links by category, as a system projection writes them, and from time to time a series of statistics. */
  #addSystemEvents(stream: string, revision: number): void {
    this.#appends++;
    if (this.#appends % 3 === 0) {
      this.#write(`$ce-${stream.split('-')[0]}`, [systemEvent('$>', `${revision}@${stream}`)]);
    }
    if (this.#appends % 50 === 0) this.#writeStatistics(40);
  }

  #writeStatistics(count: number): void {
    const statistics = Array.from({ length: count }, () => systemEvent('$statsCollected', '{"proc-cpu":1}'));
    this.#write('$stats-127.0.0.1:2113', statistics);
  }

  #write(stream: string, events: readonly ProposedEvent[]): LoggedEvent {
    const present = this.#streams.get(stream) ?? [];
    this.#streams.set(stream, present);
    const transaction = this.#end;
    let last: LoggedEvent | undefined;
    for (const event of events) {
      last = { ...event, stream, revision: present.length, position: this.#end, transaction };
      present.push(last);
      this.#all.push(last);
      this.#end += event.data.length + event.metadata.length + OVERHEAD_OF_AN_EVENT;
    }
    this.#end += OVERHEAD_OF_AN_APPEND;
    if (last === undefined) throw new RangeError('an append without events');
    return last;
  }
}

const systemEvent = (type: string, data: string): ProposedEvent => ({
  id: '00000000-0000-4000-8000-000000000000',
  type,
  contentType: 'application/json',
  data: Buffer.from(data),
  metadata: Buffer.alloc(0),
});

const lineOf = (stream: string, events: readonly ProposedEvent[]): Line => ({
  stream,
  events: events.map(({ id, type, contentType, data, metadata }) => [
    id,
    type,
    contentType,
    data.toString('base64'),
    metadata.toString('base64'),
  ]),
});
