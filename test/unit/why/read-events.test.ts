import { expect } from 'chai';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { eventsOfDays } from '#projection/engine/why/read-events.ts';
import { dropped, jarStream } from '#test/support/builders/jars.ts';
import { appendPlain, plainDecoder } from '#test/support/plain-log.ts';

/** Ten days of March, an event at noon of each: the first at position 1. */
const marchDays = Array.from({ length: 10 }, (_, index) => `2026-03-${String(index + 1).padStart(2, '0')}`);

describe('The events of some days', () => {
  it('are read where the index of time says that they are, and nothing else is', async () => {
    const log = createMemoryEventStore();
    for (const day of marchDays) {
      const { type, data } = dropped('a', 1);
      await appendPlain(log, jarStream('a'), [{ type, data, recordedAt: `${day}T12:00:00.000Z` }]);
    }
    const readFrom: number[] = [];
    const positionOf = (instant: number): number =>
      marchDays.filter((day) => Date.parse(`${day}T12:00:00Z`) <= instant).length;
    const reading = {
      store: {
        readStream: log.readStream.bind(log),
        readAll: (after: number) => {
          readFrom.push(after);
          return log.readAll(after, 2);
        },
      },
      codec: plainDecoder(),
      times: {
        before: async (instant: number) => positionOf(instant - 1),
        lastRecordedBy: async (instant: number) => positionOf(instant),
      },
    };
    const wanted = { types: new Set(['CoinsDropped']), upTo: 9 };
    const days = ['2026-03-02', '2026-03-03', '2026-03-04', '2026-03-09', '2026-03-10'];
    const positions = (await Array.fromAsync(eventsOfDays(reading, days, wanted))).map(
      ({ position }) => position,
    );
    expect(positions).to.deep.equal([2, 3, 4, 9]);
    // Three days in a row are one stretch, of two pages.
    expect(readFrom).to.deep.equal([1, 3, 8]);
  });
});
