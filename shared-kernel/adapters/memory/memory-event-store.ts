import { setImmediate as nextTurn } from 'node:timers/promises';
import { EngineUnavailable, WrongExpectedRevision } from '#ports/engine-errors.ts';
import {
  MAX_PAGE,
  NO_STREAM,
  pageOfTypes,
  PAGES_LOOKED_THROUGH,
  START,
  type AppendResult,
  type EventStore,
  type EventToAppend,
  type ReadStreamOptions,
  type StoredEvent,
} from '#ports/event-store.ts';

/** A log for tests: gone with the process, and answering a turn of the event loop later, as an engine would. */
export const createMemoryEventStore = (): EventStore => new MemoryEventStore();

class MemoryEventStore implements EventStore {
  readonly isOnlyWriter = true;
  readonly #log: StoredEvent[] = [];
  readonly #streams = new Map<string, StoredEvent[]>();
  #asleep: (() => void)[] = [];
  #isClosed = false;

  async append(
    stream: string,
    expectedRevision: number,
    events: readonly EventToAppend[],
  ): Promise<AppendResult> {
    if (events.length === 0) throw new RangeError('an append holds at least one event');
    await this.#answering();
    const stored = this.#streams.get(stream) ?? [];
    const last =
      stored.length + NO_STREAM === expectedRevision
        ? this.#store(stream, stored, events)
        : repeated(stored.slice(expectedRevision + 1), events);
    if (last === undefined) throw new WrongExpectedRevision(stream, expectedRevision);
    return { revision: last.revision, position: last.position };
  }

  async readStream(stream: string, options: ReadStreamOptions = {}): Promise<readonly StoredEvent[]> {
    await this.#answering();
    const { direction = 'forwards', fromRevision, limit } = options;
    const events = this.#streams.get(stream) ?? [];
    const ordered =
      direction === 'forwards'
        ? events.slice(fromRevision ?? 0)
        : events.slice(0, (fromRevision ?? Infinity) + 1).reverse();
    return ordered.slice(0, pageSize(limit));
  }

  async readAll(after: number, limit?: number, types?: ReadonlySet<string>): Promise<readonly StoredEvent[]> {
    await this.#answering();
    const size = pageSize(limit);
    if (!types) return this.#log.slice(after, after + size);
    return pageOfTypes(this.#log.slice(after, after + size * PAGES_LOOKED_THROUGH), types, size);
  }

  async eventAt(position: number): Promise<StoredEvent | null> {
    await this.#answering();
    return this.#log[position - 1] ?? null;
  }

  async *subscribe(
    after: number,
    signal: AbortSignal,
  ): AsyncGenerator<readonly StoredEvent[], void, undefined> {
    const wake = () => this.#wake();
    signal.addEventListener('abort', wake);
    try {
      let last = after;
      while (!signal.aborted && !this.#isClosed) {
        const page = this.#log.slice(last, last + MAX_PAGE);
        if (page.length === 0) {
          await new Promise<void>((resolve) => this.#asleep.push(resolve));
        } else {
          last += page.length;
          yield page;
        }
      }
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }

  async head(): Promise<number> {
    await this.#answering();
    return this.#log.at(-1)?.position ?? START;
  }

  async ping(): Promise<void> {
    await this.#answering();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
  }

  async #answering(): Promise<void> {
    await nextTurn();
    if (this.#isClosed) throw new EngineUnavailable('the event log is closed');
  }

  #store(stream: string, stored: StoredEvent[], events: readonly EventToAppend[]): StoredEvent | undefined {
    this.#streams.set(stream, stored);
    for (const { id, type, data, metadata } of events) {
      const revision = stored.length;
      const event = { id, type, data, metadata, stream, revision, position: this.#log.length + 1 };
      stored.push(event);
      this.#log.push(event);
    }
    this.#wake();
    return stored.at(-1);
  }

  #wake(): void {
    const awake = this.#asleep;
    this.#asleep = [];
    for (const goOn of awake) goOn();
  }
}

/** The last event of an earlier append of the very same ids. */
const repeated = (found: readonly StoredEvent[], events: readonly EventToAppend[]): StoredEvent | undefined =>
  events.every(({ id }, index) => found[index]?.id === id) ? found[events.length - 1] : undefined;

const pageSize = (limit: number = MAX_PAGE): number => Math.max(0, Math.min(limit, MAX_PAGE));
