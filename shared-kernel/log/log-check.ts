import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { START, type EventStore } from '#ports/event-store.ts';

interface LogCheck extends Document {
  readonly firstEventId: string;
}

const collection = 'logChecks';
const id = 'event-log';

const firstEventOf = async (store: Pick<EventStore, 'readAll'>): Promise<string | null> =>
  (await store.readAll(START, 1))[0]?.id ?? null;

const refused = (what: string): Error =>
  new Error(
    `${what} Put both back as they belong together, such as from one backup, and start again. To start over, remove ` +
      'both. Nothing was changed.',
  );

type Halves = readonly [stateStore: DocumentStore, store: Pick<EventStore, 'readAll'>];

/**
 * Throws where the state store holds nothing and the event log does. Before anything is declared; only reads, the log
 * first: another process that starts a new shop meanwhile writes to the state store first.
 */
export const refuseHalf = async (...[stateStore, store]: Halves): Promise<void> => {
  const first = await firstEventOf(store);
  if (first !== null && (await stateStore.collections()).length === 0)
    throw refused('The state store is empty, but the event log beside it is not.');
};

/**
 * Throws where the event log and the state store are not those of one shop: one of them was removed, or is another
 * shop's. Notes which log it is, once there is an event.
 */
export const holdToLog = async (...[stateStore, store]: Halves): Promise<void> => {
  await stateStore.declare(collection);
  const [kept, first] = await Promise.all([stateStore.get<LogCheck>(collection, id), firstEventOf(store)]);
  if (kept && first === null)
    throw refused('The event log is empty, but the state store beside it belongs to one with events.');
  if (kept && first !== kept.firstEventId)
    throw refused('The event log is not the one to which the state store beside it belongs.');
  if (kept || first === null) return;
  const ours: LogCheck = { _id: id, firstEventId: first };
  await stateStore.insertIfAbsent(collection, ours);
};
