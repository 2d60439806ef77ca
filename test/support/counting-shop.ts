import type { DomainEvent, Recorded } from '#kernel/event.ts';
import { projection, remove, type Document } from '#kernel/projection.ts';

// A shop of counters: three types of events and three views, enough to see what an engine does to documents.

export type CounterEvent =
  | DomainEvent<'Counted', { readonly by: number }>
  | DomainEvent<'Moved', { readonly to: string; readonly by: number }>
  | DomainEvent<'Discarded', Record<string, never>>;

export const counted = (by: number): CounterEvent => ({ type: 'Counted', data: { by } });
export const moved = (to: string, by: number): CounterEvent => ({ type: 'Moved', data: { to, by } });
export const discarded = (): CounterEvent => ({ type: 'Discarded', data: {} });

export interface Counter extends Document {
  readonly total: number;
  readonly seen: readonly number[];
}

const add = (counter: Counter | null, event: Recorded, key: string, by: number): Counter => ({
  _id: key,
  total: (counter?.total ?? 0) + by,
  seen: [...(counter?.seen ?? []), event.position].slice(-20),
});

/** One document per stream, and the other one that a move touches; gone once discarded. */
export const counters = projection<CounterEvent>()<Counter>({
  name: 'counters',
  version: 1,
  indexes: [{ fields: ['total'] }],
  keys: (event) => (event.type === 'Moved' ? [event.stream, event.data.to] : [event.stream]),
  on: {
    Counted: (counter, event, key) => add(counter, event, key, event.data.by),
    Moved: (counter, event, key) =>
      add(counter, event, key, key === event.stream ? -event.data.by : event.data.by),
    Discarded: () => remove,
  },
});

/** One document that every count touches: the hottest there can be. */
export const grandTotal = projection<CounterEvent>()<Counter>({
  name: 'grandTotal',
  version: 1,
  indexes: [],
  keys: () => ['all'],
  on: { Counted: (counter, event, key) => add(counter, event, key, event.data.by) },
});

/** A view that wants next to nothing of the log. */
export const discards = projection<CounterEvent>()<Counter>({
  name: 'discards',
  version: 1,
  indexes: [],
  keys: () => ['discards'],
  on: { Discarded: (counter, event, key) => add(counter, event, key, 1) },
});

/** What the counters must hold: the naive fold of the log. */
export const foldCounters = (log: readonly Recorded[]): ReadonlyMap<string, Counter> => {
  const documents = new Map<string, Counter>();
  for (const event of log as readonly Recorded<CounterEvent>[]) {
    for (const key of new Set(counters.keys(event))) {
      const handler = counters.on[event.type] as (typeof counters.on)['Counted'];
      const after = handler?.(
        documents.get(key) ?? null,
        event as Recorded<CounterEvent & { type: 'Counted' }>,
        key,
      );
      if (after === remove) documents.delete(key);
      else if (after) documents.set(key, after);
    }
  }
  return documents;
};
