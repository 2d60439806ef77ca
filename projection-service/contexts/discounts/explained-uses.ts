import { discount } from '#entities/discount.entity.ts';
import { streamOf } from '#values/stream-name.ts';
import { entityView } from '../../engine/entity-view.ts';
import { explainedView, type EventSources, type Explained } from '../../engine/why/explained-view.ts';
import { discountUsesProjection } from './discount-uses.projection.ts';

/** UTC days on which its uses were recorded; the day of a moment in the past may have some that it took back later. */
const daysOf = async (
  { pastDay }: Pick<Explained<never>, 'pastDay'>,
  { views, discountDays }: EventSources,
  discountId: string,
  businessDay: string | null = null,
): Promise<readonly string[]> => {
  const days = await discountDays(views, discountId, businessDay);
  const isMissing = pastDay !== null && !days.includes(pastDay);
  return isMissing ? [...days, pastDay].sort() : days;
};

/** Uses in confirmed sales stand in the streams of invoices, which the journals know by day. */
export const explainedUses = explainedView({
  view: discountUsesProjection,
  mainFigure: 'uses',
  reads: [{ name: 'soldByMember' }],
  eventsOf: async (explained, sources) => {
    const [discountId = '', of = '', name = null] = explained.key.split(' ');
    return { recordedOn: await daysOf(explained, sources, discountId, of === 'day' ? name : null) };
  },
});

/** A rule itself: what it claimed stands in a stream of its own, where it has a limit. */
export const explainedDiscount = explainedView({
  view: entityView(discount),
  mainFigure: 'sold',
  reads: [{ name: 'soldByMember' }],
  eventsOf: async (explained, sources) => ({
    streams: [streamOf.discount(explained.key), streamOf.discountUsage(explained.key)],
    ...((explained.figure ?? 'sold') === 'sold' && {
      recordedOn: await daysOf(explained, sources, explained.key),
    }),
  }),
});
