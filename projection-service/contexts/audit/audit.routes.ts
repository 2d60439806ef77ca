import { auditPage, auditQuery, type AuditQuery } from '#contracts/audit.contract.ts';
import { auditor, ok, route, type Reply, type Route } from '#http/route.ts';
import { defined } from '#kernel/defined.ts';
import { maskedEvents } from '#log/masked-events.ts';
import type { LogSearch } from '#log/search-log.ts';
import { acceptedFormat } from '../../engine/exports/export-route.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { createEventExports, type EventExports } from './export-events.ts';
import { searchPage, type SearchPage } from './search-page.ts';
import { rangeClock } from './range-clock.ts';
import { rangeTexts, timeRangeOf, type TimeRange } from '#log/search-range.ts';

const NDJSON = 'application/x-ndjson';
const PATH = '/audit/events';

/** Where the search goes on: the same parameters, and the range as it was worked out. */
const linkToNext = (query: AuditQuery, range: TimeRange, { next }: SearchPage): Record<string, string> => {
  if (next === null) return {};
  const { from: _, to: __, ...rest } = query;
  const { from, to } = rangeTexts(range);
  const parameters = Object.entries({ ...rest, from, to, position: next }).filter(
    ([, value]) => (value ?? null) !== null,
  );
  const text = new URLSearchParams(parameters.map(([name, value]) => [name, String(value)]));
  return { Link: `</backoffice/api/v1${PATH}?${text}>; rel="next"` };
};

/** Lines say nothing of it: both instants as ISO 8601 has an interval, two points for an open end. */
const rangeHeader = (range: TimeRange): string => {
  const { from, to } = rangeTexts(range);
  return `${from ?? '..'}/${to ?? '..'}`;
};

const answerLines = async (exports: EventExports, search: LogSearch, limit = Infinity): Promise<Reply> => ({
  status: 200,
  stream: await exports.open(search, limit),
  headers: {
    'Content-Type': NDJSON,
    Vary: 'Accept',
    'Content-Disposition': 'attachment; filename="events.ndjson"',
    'Tillroll-Range': rangeHeader(search.filter),
  },
});

/** The event log, for auditors: what happened, in order, without what is encrypted (docs/rules/audit.md#search). */
export const auditRoutes = (deps: ProjectionDeps): readonly Route[] => {
  const exports = createEventExports(deps);
  return [
    route({
      method: 'GET',
      base: 'management',
      service: 'projection',
      caller: auditor,
      path: PATH,
      file: import.meta.url,
      summary: 'Search the event log',
      schemas: { query: auditQuery },
      response: auditPage,
      alsoAs: [NDJSON],
      errors: ['invalid-request', 'view-being-filled', 'too-busy'],
      handle: async ({ query, header }) => {
        const { position, direction, limit, from: _, to: __, ...wanted } = query;
        const range = timeRangeOf(query, rangeClock(deps));
        const search: LogSearch = { filter: { ...wanted, ...range }, direction, ...defined({ position }) };
        if (acceptedFormat(header('accept')) === 'ndjson') return await answerLines(exports, search, limit);
        const page = await searchPage(deps, search, { limit: limit ?? 100 });
        const answer = { ...page, events: maskedEvents(page.events), ...rangeTexts(range) };
        return ok(answer, { headers: linkToNext(query, range, page) });
      },
    }),
  ];
};
