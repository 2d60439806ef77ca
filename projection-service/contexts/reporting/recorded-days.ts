import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ViewReader } from '../../engine/reader.ts';
import type { DiscountDays } from '../../engine/why/explained-view.ts';
import type { Scope } from './day-totals.ts';
import { keyBegin, keyOf, salesJournalProjection, type JournalEntry } from './sales-journal.projection.ts';
import {
  hasMember,
  keyFrom,
  shardOfMember,
  soldByMemberProjection,
  type SoldByMember,
} from './sold-by-member.projection.ts';

// On which UTC days something was recorded, as the journals say it.

type Views = Pick<ViewReader, 'find' | 'getMany'>;

/** Sorts after all that begins the same way. */
const LAST = '~';
/** Of the larger journal, a page is parsed in one turn of the event loop. */
const PAGE = 250;
const DAYS_IN_MONTH = 31;

const daysOfMonth = (month: string): readonly string[] =>
  Array.from({ length: DAYS_IN_MONTH }, (_, index) => `${month}-${String(index + 1).padStart(2, '0')}`);

/** What is kept of the months of recording in which something of a business day changed. */
export const monthsOfDay = async (
  views: Pick<Views, 'find'>,
  scope: Scope,
  businessDay: string,
): Promise<readonly JournalEntry[]> => {
  const begin = keyBegin(scope, 'month', businessDay.slice(0, 7));
  const entries = await views.find<JournalEntry>(salesJournalProjection.name, {
    filter: { _id: { gte: `${begin} `, lte: `${begin} ${LAST}` } },
    sort: [['_id', 1]],
  });
  return entries.filter(({ days }) => days[businessDay] !== undefined);
};

/** The days of months of recording on which something of a business month changed, or of one of its days. */
export const daysRecorded = async (
  views: Pick<Views, 'getMany'>,
  { scope, businessMonth }: Pick<JournalEntry, 'scope' | 'businessMonth'>,
  months: readonly string[],
  businessDay: string | null,
): Promise<readonly string[]> => {
  const keys = months
    .flatMap(daysOfMonth)
    .map((recorded) => keyOf({ scope, businessMonth, recorded }, 'day'));
  const entries = await views.getMany<JournalEntry>(salesJournalProjection.name, keys);
  return entries
    .filter(({ days }) => businessDay === null || days[businessDay] !== undefined)
    .map(({ recorded }) => recorded)
    .sort();
};

export const discountDays: DiscountDays = async (views, discountId, businessDay) => {
  const begin = keyFrom('discount', businessDay ?? '').trimEnd();
  const shard = ` ${shardOfMember(discountId)}`;
  const days = new Set<string>();
  for (let after = `${begin} `; ;) {
    const page = await views.find<SoldByMember>(soldByMemberProjection.name, {
      filter: { _id: { gt: after, lte: `${begin} ${LAST}` } },
      sort: [['_id', 1]],
      limit: PAGE,
    });
    for (const document of page)
      if (document._id.endsWith(shard) && hasMember(document, discountId)) days.add(document.recordedDay);
    const last = page.at(-1);
    if (!last || page.length < PAGE) return [...days].sort();
    after = last._id;
    await nextTurn();
  }
};
