import type { DomainEvent, Recorded } from '#kernel/event.ts';
import { newId } from '#kernel/ids.ts';
import type { EventStore, EventToAppend, StoredEvent } from '#ports/event-store.ts';
import type { EventDecoder } from '#log/decode-page.ts';

// Events of no context in a log without encryption or hashes: for tests of what moves events, whatever they mean.

const metadataOf = (recordedAt: string): string =>
  JSON.stringify({
    schemaVersion: 1,
    recordedAt,
    correlationId: 'test',
    causationId: 'test',
    actor: { kind: 'system', id: null },
  });

/** An event, and when it is recorded where that matters. */
export type PlainEvent = DomainEvent & Partial<Pick<Recorded, 'recordedAt'>>;

export const plainEvent = ({
  type,
  data,
  recordedAt = '2026-03-01T12:00:00.000Z',
}: PlainEvent): EventToAppend => ({
  id: newId(),
  type,
  data: JSON.stringify(data),
  metadata: metadataOf(recordedAt),
});

/** Appends one after another behind whatever the stream holds, and returns the last position. */
export const appendPlain = async (
  log: EventStore,
  stream: string,
  events: readonly PlainEvent[],
): Promise<number> => {
  const [last] = await log.readStream(stream, { direction: 'backwards', limit: 1 });
  return (await log.append(stream, last?.revision ?? -1, events.map(plainEvent))).position;
};

const decode = ({ data, metadata: text, ...place }: StoredEvent): Recorded => {
  const { schemaVersion, recordedAt, ...rest } = JSON.parse(text) as Recorded['metadata'] &
    Pick<Recorded, 'schemaVersion' | 'recordedAt'>;
  return { ...place, schemaVersion, recordedAt, data: JSON.parse(data) as unknown, metadata: rest };
};

export interface CountingDecoder extends EventDecoder {
  /** How often each position has been decoded. */
  readonly decoded: ReadonlyMap<number, number>;
}

export const plainDecoder = (): CountingDecoder => {
  const decoded = new Map<number, number>();
  return {
    decoded,
    decodeAll: async (batch) =>
      batch.map((event) => {
        decoded.set(event.position, (decoded.get(event.position) ?? 0) + 1);
        return decode(event);
      }),
  };
};

/** The whole log, decoded. */
export const wholeLog = async (log: EventStore): Promise<readonly Recorded[]> => {
  const events: Recorded[] = [];
  for (
    let page = await log.readAll(0);
    page.length > 0;
    page = await log.readAll(events.at(-1)?.position ?? 0)
  ) {
    events.push(...page.map(decode));
  }
  return events;
};

const silent = (): undefined => undefined;
export const silentLog = { debug: silent, info: silent, warn: silent, error: silent };

export const shopClock = { now: () => Date.parse('2026-03-01T12:00:10.000Z') };
