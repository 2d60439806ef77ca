import { expect } from 'chai';
import fc from 'fast-check';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { isoInstant } from '#kernel/clock.ts';
import { readPeriod } from '#projection/contexts/reporting/period.ts';
import { salesJournalProjection } from '#projection/contexts/reporting/sales-journal.projection.ts';
import { createMoments } from '#projection/engine/moments.ts';
import { followTimes } from '#projection/engine/time-index.ts';
import { journalOf, periodOf, saidBy } from '#test/support/builders/period.ts';
import type { GivenEvent } from '#test/support/given.ts';
import { ListedShop, shopDays, shopStep, source, type Step } from '#test/support/listed-shop.ts';
import { openProjections } from '#test/support/open-projections.ts';
import { appendPlain, plainDecoder, silentLog } from '#test/support/plain-log.ts';

const HOUR = 3_600_000;

const recorded = ({ recordedAt = '' }: GivenEvent): number => Date.parse(recordedAt);

const openShop = async (events: readonly GivenEvent[]) => {
  const [log, readStore] = [createMemoryEventStore(), createMemoryDocumentStore()];
  const positions: number[] = [];
  for (const event of events) positions.push(await appendPlain(log, event.stream ?? 'test-1', [event]));
  const projections = [salesJournalProjection];
  const { engine, reader, feed, stop } = await openProjections({ log, projections, readStore });
  const times = await followTimes({ feed, store: log, readStore, log: silentLog });
  const moments = createMoments({
    ...{ feed, times, store: log, codec: plainDecoder() },
    clock: { now: () => Date.parse('2030-01-01') },
    settings: () => ({ reportingTimeZone: 'UTC' }),
  });
  for (const { name } of projections) await engine.waitFor(name, positions.at(-1) ?? 0);
  return { moments, reader, stop };
};

describe('as of any event', () => {
  const filter = fc.record({
    includeCancelled: fc.boolean(),
    sourceType: fc.option(source, { nil: undefined }),
  });

  /** How late the clock is of the process that records: of one, or of several that differ by up to two days. */
  const lateness = fc.oneof(fc.constant([0]), fc.array(fc.nat(48 * HOUR), { minLength: 2, maxLength: 5 }));

  const happened = (steps: readonly Step[], late: readonly number[]): readonly GivenEvent[] => {
    const sold = new ListedShop();
    for (const step of steps) step(sold);
    return sold.events.map((event, index) => ({
      ...event,
      recordedAt: isoInstant(recorded(event) - (late[index % late.length] ?? 0)),
    }));
  };

  it('reports say what a fold of the log up to it says, and as of the end what they say now', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(shopStep, { maxLength: 40 }),
        lateness,
        filter,
        fc.tuple(fc.nat(9), fc.nat(9)),
        async (steps, late, asked, places) => {
          const [start = '', end = ''] = [shopDays[Math.min(...places)], shopDays[Math.max(...places)]];
          const window = { start, end };
          const events = happened(steps, late);
          const options = { ...asked, countsCustomers: true };
          fc.pre(events.length > 0);
          const { moments, reader, stop } = await openShop(events);
          try {
            for (const instant of events.map(recorded)) {
              const moment = await moments.of({ kind: 'instant', instant });
              const found = await readPeriod(reader, window, { ...options, asOf: moment });
              const last = events.findLastIndex((event) => recorded(event) <= instant);
              const folded = periodOf(window, journalOf(...events.slice(0, last + 1)), asked);
              expect(saidBy(found)).to.deep.equal(saidBy(folded));
            }
            const today = await moments.of({ kind: 'day', day: '2030-01-01' });
            const asOfNow = await readPeriod(reader, window, { ...options, asOf: today });
            const now = await readPeriod(reader, window, options);
            expect(saidBy(asOfNow)).to.deep.equal(saidBy(now));
          } finally {
            await stop();
          }
        },
      ),
      { numRuns: 30 },
    ));
});
