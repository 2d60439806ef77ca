import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ViewReader } from '../../engine/reader.ts';
import type { Window } from './report-window.ts';
import { keyFrom, soldByMemberProjection, sumsOf, type SoldByMember } from './sold-by-member.projection.ts';
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

async function* documentsOf(
  views: Views,
  dimension: Dimension,
  { start = '', end }: OpenWindow,
): AsyncGenerator<SoldByMember> {
  const lt = keyFrom(dimension, end === undefined ? AFTER_ALL_DAYS : `${end}${AFTER_THE_DAY}`);
  let after: { readonly gte: string } | { readonly gt: string } = { gte: keyFrom(dimension, start) };
  for (;;) {
    const page: readonly SoldByMember[] = await views.find<SoldByMember>(soldByMemberProjection.name, {
      filter: { _id: { ...after, lt } },
      sort: [['_id', 1]],
      limit: PAGE,
    });
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    after = { gt: last._id };
  }
}

/**
 * A figure of every member that sold in a window. Two years are 730 documents, or sixteen times as many where a day has
 * more than a few members: only one number of each member is held.
 */
export const soldBy = async (
  views: Views,
  dimension: Dimension,
  window: OpenWindow,
  figureOf: (sums: MemberSums) => number,
): Promise<ReadonlyMap<string, number>> => {
  const sold = new Map<string, number>();
  let looks = 0;
  for await (const { members } of documentsOf(views, dimension, window)) {
    for (const [member, kept] of Object.entries(members)) {
      sold.set(member, (sold.get(member) ?? 0) + figureOf(sumsOf(kept)));
      looks++;
    }
    if (looks < MEMBERS_A_TURN) continue;
    looks = 0;
    await nextTurn();
  }
  return sold;
};
