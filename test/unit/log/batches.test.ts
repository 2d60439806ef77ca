import { expect } from 'chai';
import fc from 'fast-check';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import type { Recorded } from '#kernel/event.ts';
import { applyEvents, loadHeld, touchedBy, touchedKeys, writesOf } from '#projection/engine/apply-batch.ts';
import { countersCollection, type ViewCounters } from '#projection/engine/view-counters.ts';
import {
  counted,
  counters,
  discarded,
  foldCounters,
  moved,
  type Counter,
} from '#test/support/counting-shop.ts';
import { appendPlain, wholeLog } from '#test/support/plain-log.ts';

const stream = fc.integer({ min: 0, max: 4 }).map((number) => `counter-${number}`);
const history = fc.array(
  fc.record({
    stream,
    event: fc.oneof(
      fc.integer({ min: 1, max: 9 }).map(counted),
      fc.tuple(stream, fc.integer({ min: 1, max: 9 })).map(([to, by]) => moved(to, by)),
      fc.constant(discarded()),
    ),
  }),
  { maxLength: 40 },
);
/** Where batches end, and how far back each one begins again. */
const splits = fc.array(
  fc.record({ size: fc.integer({ min: 1, max: 9 }), again: fc.integer({ min: 0, max: 5 }) }),
  {
    minLength: 1,
    maxLength: 12,
  },
);

const recorded = async (events: readonly { stream: string; event: ReturnType<typeof counted> }[]) => {
  const log = createMemoryEventStore();
  for (const { stream: name, event } of events) await appendPlain(log, name, [event]);
  return wholeLog(log);
};

describe('batches of a projection', () => {
  it('give the same documents however the log is split, also when a stretch comes again', async () => {
    await fc.assert(
      fc.asyncProperty(history, splits, async (events, sizes) => {
        const log = await recorded(events);
        const store = createMemoryDocumentStore();
        const apply = async (batch: readonly Recorded[]): Promise<void> => {
          const keys = [...touchedKeys(counters, touchedBy(counters, batch))];
          const documents = await loadHeld(store, 'counters', keys);
          const changed = new Set<string>();
          expect(applyEvents(counters, batch, documents, changed)).to.equal(null);
          expect(changed.size).to.be.at.most(keys.length);
          await store.write(writesOf('counters', documents, changed));
        };
        for (let from = 0, turn = 0; from < log.length; turn++) {
          const { size, again } = sizes[turn % sizes.length] ?? { size: 1, again: 0 };
          await apply(log.slice(from, from + size));
          await apply(log.slice(Math.max(0, from + size - again), from + size));
          from += size;
        }
        const found = await store.find<Counter>('counters');
        const plain = found.map(({ _id, total, seen }) => ({ _id, total, seen }));
        expect(plain).to.have.deep.members([...foldCounters(log).values()]);
      }),
      { numRuns: 60 },
    );
  });

  it('add each event to the counters once, also when only the beginning of a batch was written', async () => {
    const counted = {
      ...counters,
      counters: ({ total }: Counter) => ({ total, [total % 2 === 0 ? 'even' : 'odd']: 1 }),
    };
    await fc.assert(
      fc.asyncProperty(history, splits, async (events, sizes) => {
        const log = await recorded(events);
        const store = createMemoryDocumentStore();
        const apply = async (batch: readonly Recorded[], share: number): Promise<void> => {
          const keys = [...touchedKeys(counted, touchedBy(counted, batch))];
          const documents = await loadHeld(store, 'counters', keys);
          const changed = new Set<string>();
          applyEvents(counted, batch, documents, changed);
          const writes = writesOf('counters', documents, changed);
          await store.write(writes.slice(0, Math.ceil(writes.length * share)));
        };
        for (let from = 0, turn = 0; from < log.length; turn++) {
          const { size, again } = sizes[turn % sizes.length] ?? { size: 1, again: 0 };
          await apply(log.slice(from, from + size), again / 5);
          await apply(log.slice(from, from + size), 1);
          from += size;
        }
        const expected: Record<string, number> = {};
        for (const counter of foldCounters(log).values())
          for (const [name, value] of Object.entries(counted.counters(counter)))
            expected[name] = (expected[name] ?? 0) + value;
        const counters = await store.get<ViewCounters>(countersCollection, 'counters');
        const figures = Object.entries(expected).filter(([, value]) => value !== 0);
        expect(counters?.figures ?? {}).to.deep.equal(Object.fromEntries(figures));
      }),
      { numRuns: 60 },
    );
  });
});
