import { maskedEvents } from '#log/masked-events.ts';
import type { Recorded } from '#kernel/event.ts';
import { MAX_PAGE, START, type EventStore, type StoredEvent } from '#ports/event-store.ts';
import type { Print } from './print.ts';

export interface EventsOptions {
  readonly stream?: string;
  readonly type?: string;
  /** A position, exclusive. */
  readonly after?: number;
  readonly follow?: boolean;
  readonly json?: boolean;
}

/** Turns stored events into what is printed: with personal fields, or without. */
export type Decode = (batch: readonly StoredEvent[]) => Promise<readonly Recorded[]>;

/** Prints the log, one line an event (docs/rules/management.md#event-log). Follows it until the signal aborts. */
export const printEvents = async (
  options: EventsOptions,
  store: EventStore,
  decode: Decode,
  print: Print,
  signal: AbortSignal,
): Promise<void> => {
  const line = options.json ? jsonLine : plainLine;
  for await (const batch of batches(options, store, signal)) {
    const wanted = batch.filter((event) => isWanted(options, event));
    if (wanted.length > 0) await print((await decode(wanted)).map(line).join(''));
  }
};

const batches = (
  { stream, after = START, follow }: EventsOptions,
  store: EventStore,
  signal: AbortSignal,
): AsyncIterable<readonly StoredEvent[]> => {
  if (follow) return store.subscribe(after, signal);
  return stream === undefined ? wholeLog(store, after) : oneStream(store, stream);
};

async function* wholeLog(store: EventStore, after: number): AsyncIterable<readonly StoredEvent[]> {
  for (let position = after; ;) {
    const page = await store.readAll(position, MAX_PAGE);
    if (page.length > 0) yield page;
    if (page.length < MAX_PAGE) return;
    position = page.at(-1)?.position ?? position;
  }
}

async function* oneStream(store: EventStore, stream: string): AsyncIterable<readonly StoredEvent[]> {
  for (let fromRevision = 0; ; fromRevision += MAX_PAGE) {
    const page = await store.readStream(stream, { fromRevision, limit: MAX_PAGE });
    if (page.length > 0) yield page;
    if (page.length < MAX_PAGE) return;
  }
}

const isWanted = ({ stream, type, after = START }: EventsOptions, event: StoredEvent): boolean =>
  event.position > after &&
  (stream === undefined || event.stream === stream) &&
  (type === undefined || event.type === type);

const plainLine = ({ position, recordedAt, stream, revision, type }: Recorded): string =>
  `${position}  ${recordedAt}  ${stream}@${revision}  ${type}\n`;

const jsonLine = (event: Recorded): string => {
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
