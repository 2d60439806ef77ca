import { asOf } from '#contracts/as-of.contract.ts';
import { maskedEvents, type MaskedEvent } from '#log/masked-events.ts';
import { wantedBy, type EventFilter } from '#log/event-filter.ts';
import { positionBefore } from '#log/kept-time-blocks.ts';
import { searchedPages, type LogSearch, type SearchedLog } from '#log/search-log.ts';
import { timeRangeOf, type NamedMoment } from '#log/search-range.ts';
import { watchedSubscription } from '#log/watched-subscription.ts';
import { START, type EventStore, type StoredEvent } from '#ports/event-store.ts';
import type { Print } from './print.ts';

export interface EventsOptions extends Omit<EventFilter, 'from' | 'to'> {
  /** A day, in UTC, or an instant. */
  readonly from?: string;
  readonly to?: string;
  /** A position, exclusive; backwards, the search begins before it. */
  readonly after?: number;
  readonly backwards?: boolean;
  readonly limit?: number;
  readonly follow?: boolean;
  readonly json?: boolean;
}

/** Turns stored events into what is printed: with personal fields, or without. */
export type Decode = (batch: readonly StoredEvent[]) => Promise<readonly MaskedEvent[]>;

const momentOf = (option: string, text: string | undefined): NamedMoment | undefined => {
  const read = asOf.safeParse(text);
  if (read.success) return read.data;
  throw new Error(`${option}: ${read.error.issues[0]?.message}.`);
};

/** Prints the log, one line an event (docs/rules/audit.md#search). Follows it until the signal aborts. */
export const printEvents = async (
  options: EventsOptions,
  log: PrintedLog,
  decode: Decode,
  print: Print,
  signal: AbortSignal,
): Promise<void> => {
  const {
    stream,
    category,
    type,
    actor,
    correlationId,
    subject,
    limit = Infinity,
    backwards,
    follow,
  } = options;
  const position = options.after ?? (backwards ? Infinity : START);
  const [from, to] = [momentOf('--from', options.from), momentOf('--to', options.to)];
  const range = timeRangeOf(
    { ...options, from, to, position },
    { now: Date.now(), offset: 0, timeZone: 'UTC' },
  );
  const filter = { stream, category, type, actor, correlationId, subject, ...range };
  const search: LogSearch = { filter, direction: backwards ? 'backwards' : 'forwards', position };
  const isWanted = wantedBy(filter);
  const line = options.json ? jsonLine : plainLine;
  let missing = limit;
  for await (const page of follow ? followed(log, search, signal) : searchedPages(log, search)) {
    const found = page.filter(isWanted).slice(0, missing);
    missing -= found.length;
    if (found.length > 0) await print((await decode(found)).map(line).join(''));
    if (missing === 0) return;
  }
};

/** The log, and the index of time. */
export interface PrintedLog extends SearchedLog {
  readonly store: Pick<EventStore, 'readAll' | 'readStream' | 'head' | 'subscribe'>;
}

async function* followed(
  { store, readStore }: PrintedLog,
  { filter: { from }, position = START }: LogSearch,
  signal: AbortSignal,
): AsyncIterable<readonly StoredEvent[]> {
  const since = from === undefined ? START : await positionBefore(readStore, from);
  yield* watchedSubscription(store, Math.max(position, since), signal);
}

const plainLine = ({ position, recordedAt, stream, revision, type }: MaskedEvent): string =>
  `${position}  ${recordedAt}  ${stream}@${revision}  ${type}\n`;

const jsonLine = (event: MaskedEvent): string => {
  const { id, type, schemaVersion, stream, revision, position, recordedAt, data, metadata } = event;
  const envelope = { id, type, schemaVersion, stream, revision, position, recordedAt, data, metadata };
  return `${JSON.stringify(envelope)}\n`;
};

type Fields = Readonly<Record<string, unknown>>;

/** Events without what is encrypted: needs no key. */
export const decodeMasked: Decode = async (batch) => maskedEvents(batch);

/** Events in clear, secrets apart. */
export const decodeRevealed =
  (decodeAll: Decode, secretFields: (type: string) => readonly string[]): Decode =>
  async (batch) =>
    (await decodeAll(batch)).map((event) => {
      const hidden = secretFields(event.type);
      if (hidden.length === 0) return event;
      const data = Object.entries(event.data as Fields).map(([field, value]) => [
        field,
        value !== null && hidden.includes(field) ? '(secret)' : value,
      ]);
      return { ...event, data: Object.fromEntries(data) };
    });
