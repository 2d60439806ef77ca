import { isCalendarDay } from '#values/business-day.ts';
import { explainedView, type EventPlaces, type EventSources } from '../../engine/why/explained-view.ts';
import { figureNames, type Scope } from './day-totals.ts';
import { daysRecorded, monthsOfDay } from './recorded-days.ts';
import { salesJournalProjection, salesOfDay, type JournalEntry } from './sales-journal.projection.ts';
import { soldByMemberProjection } from './sold-by-member.projection.ts';

const isScope = (text: string): text is Scope => Object.hasOwn(salesOfDay, text);

/** `2026-03-31`, or of one source `web 2026-03-31`; null for the key of a document. */
const businessDayIn = (key: string): { readonly scope: Scope; readonly day: string } | null => {
  const [day = '', scope = 'all'] = key.split(' ').reverse();
  return isCalendarDay(day) && isScope(scope) && key.split(' ').length < 3 ? { scope, day } : null;
};

/** What a business day sold is spread over the entries of the months in which that became known. */
const placesOfDay = async (scope: Scope, day: string, { views }: EventSources): Promise<EventPlaces> => {
  const entries = await monthsOfDay(views, scope, day);
  const known = { scope, businessMonth: day.slice(0, 7) };
  const months = entries.map(({ recorded }) => recorded);
  return {
    recordedOn: await daysRecorded(views, known, months, day),
    parts: { documents: entries, within: `days.${day}` },
  };
};

/** The day that a figure is of: `days.2026-03-31.sales.total`. */
const dayOfFigure = (figure: string): string | null =>
  /^days\.(\d{4}-\d{2}-\d{2})(\.|$)/.exec(figure)?.[1] ?? null;

/** A day of recording is read as it is, of a month the days on which something was recorded. */
const placesOfEntry = async (
  { recorded, ...known }: Pick<JournalEntry, 'scope' | 'businessMonth' | 'recorded'>,
  figure: string | null,
  { views }: EventSources,
): Promise<EventPlaces> => ({
  recordedOn: isCalendarDay(recorded)
    ? [recorded]
    : await daysRecorded(views, known, [recorded], figure === null ? null : dayOfFigure(figure)),
});

/** What a day sold, in all or from one source; or an entry of the journal of sales. */
export const explainedSales = explainedView<JournalEntry>({
  view: salesJournalProjection,
  mainFigure: 'days.*.sales.total',
  ofParts: {
    mainFigure: 'sales.total',
    zeros: [
      ...['sales', 'cancelled'].flatMap((part) => figureNames.map((name) => `${part}.${name}`)),
      'ordersFulfilled',
      'customers.first',
      'customers.again',
    ],
  },
  eventsOf: async ({ key, document, figure }, sources) => {
    const asked = businessDayIn(key);
    if (asked) return placesOfDay(asked.scope, asked.day, sources);
    return document ? placesOfEntry(document, figure, sources) : {};
  },
});

/** What members of a dimension sold; a document is of one day of recording. */
export const explainedSold = explainedView({
  view: soldByMemberProjection,
  mainFigure: 'members.*.*.0',
  eventsOf: ({ key }) => {
    const [, , recordedDay = ''] = key.split(' ');
    return { recordedOn: isCalendarDay(recordedDay) ? [recordedDay] : [] };
  },
});
