import { correlationParams, correlationQuery, correlationResponse } from '#contracts/audit.contract.ts';
import { auditor, ok, route, type Route } from '#http/route.ts';
import { isoInstant } from '#kernel/clock.ts';
import { defined } from '#kernel/defined.ts';
import { madeAt } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { hasMetadata, maskedEvents } from '#log/masked-events.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { streamsOf, treeOf } from './correlation-tree.ts';
import { searchPage } from './search-page.ts';
import { rangeClock } from './range-clock.ts';
import { rangeTexts, timeRangeOf } from '#log/search-range.ts';

/** What one answer shows; the rest follows from `next`. */
const MAX_EVENTS = 1000;

/** What one request caused (docs/rules/audit.md#correlations). */
export const correlationRoutes = (deps: ProjectionDeps): readonly Route[] => [
  route({
    method: 'GET',
    base: 'management',
    service: 'projection',
    caller: auditor,
    path: '/audit/correlations/{id}',
    file: import.meta.url,
    summary: 'Show what one request caused, as a tree',
    schemas: { params: correlationParams, query: correlationQuery },
    response: correlationResponse,
    errors: ['invalid-request', 'entity-not-found'],
    handle: async ({ params: { id: correlationId }, query }) => {
      const { position } = query;
      const range = timeRangeOf({ ...query, correlationId }, rangeClock(deps));
      const { events, ...looked } = await searchPage(
        deps,
        { filter: { correlationId, ...range }, direction: 'forwards', ...defined({ position }) },
        { limit: MAX_EVENTS },
      );
      const { from, to } = rangeTexts(range);
      if (events.length === 0 && looked.next === null)
        throw new Rejection(
          'entity-not-found',
          `No event from ${from ?? 'the first one'} to ${to ?? 'now'} has this correlation id. Ask for another range: from, to.`,
        );
      const shown = maskedEvents(events).filter(hasMetadata);
      const made = madeAt(correlationId);
      return ok({
        correlationId,
        requestedAt: made === null ? null : isoInstant(made),
        eventCount: shown.length,
        streams: streamsOf(shown),
        caused: treeOf(shown),
        from,
        to,
        ...looked,
      });
    },
  }),
];
