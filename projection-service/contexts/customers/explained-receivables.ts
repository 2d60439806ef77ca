import { isCalendarDay } from '#values/business-day.ts';
import type { ExplainedView } from '../../engine/why/explained-view.ts';
import { receivablesProjection } from './receivables.projection.ts';

/** A document is what was recorded on one day. */
export const explainedReceivables: ExplainedView = {
  view: receivablesProjection,
  mainFigure: 'byDueDay.*.amount',
  eventsOf: ({ key }) => ({ recordedOn: isCalendarDay(key) ? [key] : [] }),
};
