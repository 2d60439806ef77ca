import { expect } from 'chai';
import fc from 'fast-check';
import { dailySalesProjection } from '#projection/contexts/reporting/daily-sales.projection.ts';
import { figuresOf, type DayFigures } from '#projection/contexts/reporting/reporting.queries.ts';
import {
  salesJournalProjection,
  type JournalEntry,
} from '#projection/contexts/reporting/sales-journal.projection.ts';
import { givenEvents, type GivenEvent } from '#test/support/given.ts';
import { ListedShop, shopDays, shopStep, source } from '#test/support/listed-shop.ts';

const asked = fc.record({
  places: fc.tuple(fc.nat(9), fc.nat(9)),
  filter: fc.record({ includeCancelled: fc.boolean(), sourceType: fc.option(source, { nil: undefined }) }),
});

type Figures = Readonly<Record<string, number>>;

const plus = (one: Figures, other: Figures): Figures =>
  Object.fromEntries(Object.entries(other).map(([figure, value]) => [figure, (one[figure] ?? 0) + value]));

/** By business day; a day on which everything is 0 is like none. */
const sums = (figures: readonly (readonly [day: string, figures: DayFigures])[]): Record<string, Figures> => {
  const byDay: Record<string, Figures> = {};
  for (const [day, { ofPart, ...figuresOfDay }] of figures) {
    const [customersOfPart, returningOfPart] = [ofPart.customers, ofPart.returning];
    byDay[day] = plus(byDay[day] ?? {}, { ...figuresOfDay, customersOfPart, returningOfPart });
  }
  return Object.fromEntries(
    Object.entries(byDay).filter(([, totals]) => Object.values(totals).some((value) => value !== 0)),
  );
};

const recordedDay = ({ recordedAt = '' }: GivenEvent): string => recordedAt.slice(0, 10);

describe('the journal of sales', () => {
  const holdFor = (check: (events: readonly GivenEvent[], entries: readonly JournalEntry[]) => void): void =>
    fc.assert(
      fc.property(fc.array(shopStep, { maxLength: 40 }), (steps) => {
        const shop = new ListedShop();
        for (const step of steps) step(shop);
        const { documents } = givenEvents(...shop.events).project(salesJournalProjection, '');
        check(shop.events, [...documents.values()]);
      }),
    );

  /** For some windows and filters, what the entries come to by business day is what the daily figures say. */
  const expectSame = (entries: readonly JournalEntry[], events: readonly GivenEvent[]): void => {
    const { documents } = givenEvents(...events).project(dailySalesProjection, '');
    for (const { places, filter } of fc.sample(asked, 5)) {
      const [start = '', end = ''] = [shopDays[Math.min(...places)], shopDays[Math.max(...places)]];
      const figures = [...documents.values()].map(
        (day) => [day._id, figuresOf(day._id, day, { start, end }, filter)] as const,
      );
      const added = entries.map(
        (entry) => [entry.businessDay, figuresOf(entry.businessDay, entry, { start, end }, filter)] as const,
      );
      expect(sums(added)).to.deep.equal(sums(figures));
    }
  };

  it('adds up to the daily sales', () => holdFor((events, entries) => expectSame(entries, events)));

  it('says, up to any day of recording, what the daily sales said at its end', () =>
    holdFor((events, entries) => {
      for (const until of new Set(entries.map((entry) => entry.recordedDay)))
        expectSame(
          entries.filter((entry) => entry.recordedDay <= until),
          events.filter((event) => recordedDay(event) <= until),
        );
    }));
});
