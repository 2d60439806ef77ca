import { expect } from 'chai';
import fc from 'fast-check';
import type { JournalEntry } from '#projection/contexts/reporting/sales-journal.projection.ts';
import { isOfDay, journalOf, periodOf, saidBy } from '#test/support/builders/period.ts';
import type { GivenEvent } from '#test/support/given.ts';
import { ListedShop, shopDays, shopStep, source } from '#test/support/listed-shop.ts';

const asked = fc.record({
  places: fc.tuple(fc.nat(9), fc.nat(9)),
  filter: fc.record({ includeCancelled: fc.boolean(), sourceType: fc.option(source, { nil: undefined }) }),
});

const recordedDay = ({ recordedAt = '' }: GivenEvent): string => recordedAt.slice(0, 10);

describe('the journal of sales', () => {
  const holdFor = (check: (events: readonly GivenEvent[], entries: readonly JournalEntry[]) => void): void =>
    fc.assert(
      fc.property(fc.array(shopStep, { maxLength: 40 }), (steps) => {
        const shop = new ListedShop();
        for (const step of steps) step(shop);
        check(shop.events, journalOf(...shop.events));
      }),
    );

  /** For some windows and filters, what days of recording come to by business day is what reports say. */
  const expectSame = (entries: readonly JournalEntry[], events: readonly GivenEvent[]): void => {
    const journal = journalOf(...events);
    for (const { places, filter } of fc.sample(asked, 5)) {
      const [start = '', end = ''] = [shopDays[Math.min(...places)], shopDays[Math.max(...places)]];
      const added = periodOf({ start, end }, entries, filter, 'days');
      expect(saidBy(added)).to.deep.equal(saidBy(periodOf({ start, end }, journal, filter)));
    }
  };

  it('adds up to the same by days of recording as by months', () =>
    holdFor((events, entries) => expectSame(entries, events)));

  it('says, up to any day of recording, what reports said at its end', () =>
    holdFor((events, entries) => {
      for (const until of new Set(entries.filter(isOfDay).map((entry) => entry.recorded)))
        expectSame(
          entries.filter((entry) => entry.recorded <= until),
          events.filter((event) => recordedDay(event) <= until),
        );
    }));
});
