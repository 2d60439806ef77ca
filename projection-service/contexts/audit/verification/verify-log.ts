import { decodePage, type EventDecoder } from '#log/decode-page.ts';
import { recordedAtOf } from '#log/envelope.ts';
import { MAX_PAGE, START, type EventStore, type StoredEvent } from '#ports/event-store.ts';
import { placeOf, type CreateLogCheck, type LogCheck, type LogEnd, type Problem } from './log-check.ts';

export interface VerifyProgress {
  readonly position: number;
  readonly head: number;
  readonly events: number;
}

export interface VerifyOptions {
  readonly store: Pick<EventStore, 'readAll' | 'head'>;
  readonly decoder: EventDecoder;
  readonly checks: readonly CreateLogCheck[];
  readonly onProgress?: (progress: VerifyProgress) => void;
}

export interface LogVerdict {
  readonly end: LogEnd;
  /** By name, how often each check found something. */
  readonly found: Readonly<Record<string, number>>;
  /** The first of them. */
  readonly problems: readonly Problem[];
}

/** Enough to see what happened: a history that was written over is wrong everywhere. */
const MOST_PROBLEMS = 200;
/** The check that every event can be decoded which another check wants to read. */
const READABLE = 'readable';

/** Reads the log once, up to where it ends now, for all checks. Changes nothing. Errors: `EngineUnavailable`. */
export const verifyLog = async ({
  store,
  decoder,
  checks: plans,
  onProgress,
}: VerifyOptions): Promise<LogVerdict> => {
  const book = new ProblemBook();
  const checks = plans.map((create) => book.open(create));
  const takers = takersIn(checks);
  const head = await store.head();
  let end: LogEnd = { position: START, events: 0, recordedAt: null };
  for await (const page of pagesUpTo(store, head)) {
    takeStored(page, checks);
    await takeDecoded(page, takers, decoder, book);
    end = endAfter(end, page);
    onProgress?.({ position: end.position, head, events: end.events });
  }
  for (const check of checks) check.finish?.(end);
  return { end, ...book.content };
};

/** While one page is checked, the next is on its way. */
async function* pagesUpTo(
  store: VerifyOptions['store'],
  head: number,
): AsyncGenerator<readonly StoredEvent[]> {
  let reading = head === START ? null : store.readAll(START, MAX_PAGE);
  while (reading) {
    const page: readonly StoredEvent[] = await reading;
    const last = page.at(-1);
    if (!last) return;
    reading = last.position < head ? store.readAll(last.position, MAX_PAGE) : null;
    // Awaited in the next turn; until then a failure must not count as unhandled.
    reading?.catch(() => undefined);
    yield last.position > head ? page.filter(({ position }) => position <= head) : page;
  }
}

const takeStored = (page: readonly StoredEvent[], checks: readonly LogCheck[]): void => {
  for (const check of checks) {
    if (!check.takeStored) continue;
    for (const event of page) check.takeStored(event);
  }
};

const takeDecoded = async (
  page: readonly StoredEvent[],
  takers: Takers,
  decoder: EventDecoder,
  book: ProblemBook,
): Promise<void> => {
  const wants = (type: string): boolean => takers.has(type);
  for (const { events, undecodable, upTo } of await decodePage(decoder, page, { wants, isTimed: false })) {
    const damaged = undecodable && page.find(({ position }) => position === upTo.position);
    if (damaged)
      book.note({
        check: READABLE,
        ...placeOf(damaged),
        found: undecodable.message,
        expected: `an event ${undecodable.type} that this release can read`,
      });
    for (const event of events) for (const check of takers.get(event.type) ?? []) check.take?.(event);
  }
};

/** Which checks take the events of a type. */
type Takers = ReadonlyMap<string, readonly LogCheck[]>;

const takersIn = (checks: readonly LogCheck[]): Takers => {
  const types = new Set(checks.flatMap(({ eventTypes = [] }) => [...eventTypes]));
  return new Map([...types].map((type) => [type, checks.filter((one) => one.eventTypes?.has(type))]));
};

const endAfter = (before: LogEnd, page: readonly StoredEvent[]): LogEnd => {
  const last = page.at(-1);
  if (!last) return before;
  return { position: last.position, events: before.events + page.length, recordedAt: recordedAtIn(last) };
};

/** Null where its metadata are damaged. */
const recordedAtIn = (event: StoredEvent): string | null => {
  try {
    return recordedAtOf(event);
  } catch {
    return null;
  }
};

class ProblemBook {
  readonly #problems: Problem[] = [];
  readonly #found = new Map<string, number>([[READABLE, 0]]);

  get content(): Pick<LogVerdict, 'found' | 'problems'> {
    return { found: Object.fromEntries(this.#found), problems: this.#problems };
  }

  open(create: CreateLogCheck): LogCheck {
    const check = create((problem) => this.note({ check: check.name, ...problem }));
    this.#found.set(check.name, 0);
    return check;
  }

  note(problem: Problem): void {
    this.#found.set(problem.check, (this.#found.get(problem.check) ?? 0) + 1);
    if (this.#problems.length < MOST_PROBLEMS) this.#problems.push(problem);
  }
}
