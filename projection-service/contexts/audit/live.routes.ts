import { lastEventId, liveQuery, liveResponse } from '#contracts/audit.contract.ts';
import { auditor, route, type Route } from '#http/route.ts';
import { invalidRequest } from '#kernel/rejection.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { createLiveEvents } from './live-events.ts';

const EVENT_STREAM = 'text/event-stream';

/** Browsers send it by themselves when they come again. */
const lastSeen = (given: string | undefined): number | undefined => {
  if (given === undefined || given === '') return undefined;
  const read = lastEventId.safeParse(given);
  if (read.success) return read.data;
  throw invalidRequest('Last-Event-ID: must be a position of the log');
};

/** The log as it grows (docs/rules/audit.md#live). */
export const liveRoutes = ({ store }: Pick<ProjectionDeps, 'store'>): readonly Route[] => {
  const live = createLiveEvents({ store });
  return [
    route({
      method: 'GET',
      base: 'management',
      service: 'projection',
      caller: auditor,
      path: '/audit/events/live',
      file: import.meta.url,
      summary: 'Listen to the event log, as server-sent events',
      schemas: { query: liveQuery },
      response: liveResponse,
      responseType: EVENT_STREAM,
      errors: ['invalid-request', 'too-busy'],
      handle: async ({ query: { position, ...filter }, header }) => {
        const { stream, end } = await live.open(filter, lastSeen(header('last-event-id')) ?? position);
        return {
          status: 200,
          stream,
          endStream: end,
          headers: { 'Content-Type': EVENT_STREAM, 'X-Accel-Buffering': 'no' },
        };
      },
    }),
  ];
};
