import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Moment } from '../../engine/moments.ts';
import type { ViewReader } from '../../engine/reader.ts';
import type { Window } from './report-window.ts';
import {
  keyFrom,
  membersOf,
  soldByMemberProjection,
  sumsOf,
  type SoldByMember,
} from './sold-by-member.projection.ts';
import type { Dimension, MemberSums } from './sold-changes.ts';

type Views = Pick<ViewReader, 'find'>;

/** Documents read at once: a page is parsed in one turn of the event loop. */
const PAGE = 100;
/** Of sums by member that are gone through before other work gets its turn. */
const MEMBERS_A_TURN = 20_000;

/** From the beginning where no first day is named, to the end where no last one is. */
export type OpenWindow = Partial<Window>;

/** A day of the calendar begins with a digit, so everything of a dimension is before this. */
const AFTER_ALL_DAYS = ':';
/** Day and recording are apart by a blank: everything of a day is before this. */
const AFTER_THE_DAY = '!';

interface Range {
  readonly gte: string;
  readonly lt: string;
}

const rangeOf = (dimension: Dimension, { start = '', end }: OpenWindow): Range => ({
  gte: keyFrom(dimension, start),
  lt: keyFrom(dimension, end === undefined ? AFTER_ALL_DAYS : `${end}${AFTER_THE_DAY}`),
});

/** Those of the view, as of a moment only what had been recorded on earlier days. */
async function* storedDocuments(
  views: Views,
  { gte, lt }: Range,
  moment: Moment | undefined,
): AsyncGenerator<SoldByMember> {
  const known = moment && { recordedDay: { lt: moment.recordedDay } };
  let after: { readonly gte: string } | { readonly gt: string } = { gte };
  for (;;) {
    const page: readonly SoldByMember[] = await views.find<SoldByMember>(soldByMemberProjection.name, {
      filter: { _id: { ...after, lt }, ...known },
      sort: [['_id', 1]],
      limit: PAGE,
    });
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    after = { gt: last._id };
  }
}

/** What was recorded on the day of the moment, before it. */
const documentsOfThatDay = async ({ gte, lt }: Range, moment: Moment): Promise<readonly SoldByMember[]> => {
  const recorded = await moment.recordedThatDay<SoldByMember>(soldByMemberProjection);
  return recorded.filter(({ _id }) => _id >= gte && _id < lt);
};

async function* documentsOf(
  views: Views,
  range: Range,
  moment: Moment | undefined,
): AsyncGenerator<SoldByMember> {
  yield* storedDocuments(views, range, moment);
  if (moment) yield* await documentsOfThatDay(range, moment);
}

/**
 * A figure of every member that sold in a window, as it is now or as it was known at a moment. Two years are 730
 * documents, or sixteen times as many where a day has more than a few members: only one number of each is held.
 */
export const soldBy = async (
  views: Views,
  dimension: Dimension,
  window: OpenWindow,
  figureOf: (sums: MemberSums) => number,
  moment?: Moment,
): Promise<ReadonlyMap<string, number>> => {
  const sold = new Map<string, number>();
  let looks = 0;
  for await (const document of documentsOf(views, rangeOf(dimension, window), moment)) {
    for (const [member, kept] of membersOf(document)) {
      sold.set(member, (sold.get(member) ?? 0) + figureOf(sumsOf(kept)));
      looks++;
    }
    if (looks < MEMBERS_A_TURN) continue;
    looks = 0;
    await nextTurn();
  }
  return sold;
};
