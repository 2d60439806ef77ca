import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Recorded } from '#kernel/event.ts';
import type { EventDecoder } from '#log/decode-page.ts';
import type { EventStore, StoredEvent } from '#ports/event-store.ts';
import { dayAfter } from '#values/business-day.ts';
import type { TimeIndex } from '../time-index.ts';

export interface EventReading {
  readonly store: Pick<EventStore, 'readAll' | 'readStream'>;
  readonly codec: EventDecoder;
  readonly times: Pick<TimeIndex, 'before' | 'lastRecordedBy'>;
}

export interface WantedEvents {
  /** Null: all. */
  readonly types: ReadonlySet<string> | null;
  /** The position after which nothing is read. */
  readonly upTo: number;
}

/** Events that are read in one turn of the event loop. */
const PAGE = 250;

const isWanted =
  ({ types, upTo }: WantedEvents) =>
  ({ type, position }: StoredEvent): boolean =>
    position <= upTo && (types === null || types.has(type));

/** The events of a stream. Errors: `EngineUnavailable`. */
export async function* eventsOfStream(
  { store, codec }: EventReading,
  stream: string,
  { types, upTo }: WantedEvents,
): AsyncGenerator<Recorded> {
  for (let fromRevision = 0; ; fromRevision += PAGE) {
    const page = await store.readStream(stream, { fromRevision, limit: PAGE });
    yield* await codec.decodeAll(page.filter(isWanted({ types, upTo })));
    if (page.length < PAGE || (page.at(-1)?.position ?? upTo) >= upTo) return;
    await nextTurn();
  }
}

/** Recorded from one ISO instant to before another: found by the index of time. Errors: `EngineUnavailable`. */
export async function* eventsBetween(
  { store, codec, times }: EventReading,
  from: string,
  before: string,
  { types, upTo }: WantedEvents,
): AsyncGenerator<Recorded> {
  const end = Math.min(upTo, await times.lastRecordedBy(Date.parse(before) - 1));
  for (let last = await times.before(Date.parse(from)); last < end;) {
    const page = await store.readAll(last, PAGE, types ?? undefined);
    const wanted = page.filter(isWanted({ types, upTo: end }));
    for (const event of await codec.decodeAll(wanted))
      if (event.recordedAt >= from && event.recordedAt < before) yield event;
    last = page.at(-1)?.position ?? end;
    await nextTurn();
  }
}

/** Days as stretches of time: those that follow each other are read as one. */
const stretchesOf = (days: readonly string[]): readonly (readonly [from: string, before: string])[] => {
  const stretches: [string, string][] = [];
  for (const day of days) {
    const last = stretches.at(-1);
    if (last?.[1] === day) last[1] = dayAfter(day);
    else stretches.push([day, dayAfter(day)]);
  }
  return stretches;
};

/** Recorded on UTC days, which are in order. Errors: `EngineUnavailable`. */
export async function* eventsOfDays(
  reading: EventReading,
  days: readonly string[],
  wanted: WantedEvents,
): AsyncGenerator<Recorded> {
  for (const [from, before] of stretchesOf(days)) yield* eventsBetween(reading, from, before, wanted);
}

/** Everything that the sources yield in the order of the log, each event once. */
export async function* inLogOrder(sources: readonly AsyncGenerator<Recorded>[]): AsyncGenerator<Recorded> {
  const heads = await Promise.all(
    sources.map(async (source) => ({ source, event: (await source.next()).value as Recorded | undefined })),
  );
  for (let last = -1; ;) {
    const first = heads.reduce<(typeof heads)[number] | null>(
      (least, head) =>
        head.event && head.event.position < (least?.event?.position ?? Infinity) ? head : least,
      null,
    );
    if (!first?.event) return;
    if (first.event.position !== last) yield first.event;
    last = first.event.position;
    first.event = (await first.source.next()).value as Recorded | undefined;
  }
}
