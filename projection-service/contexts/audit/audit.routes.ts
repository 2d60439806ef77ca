import { auditPage, auditQuery, type AuditQuery } from '#contracts/audit.contract.ts';
import { maskedEvents } from '#engine/masked-events.ts';
import { auditor, ok, route, type Route } from '#http/route.ts';
import { MAX_PAGE, type StoredEvent } from '#ports/event-store.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';

type Store = ProjectionDeps['store'];

interface Page {
  readonly events: readonly StoredEvent[];
  /** Position up to which the log was looked through; null at its end. */
  readonly nextAfter: number | null;
}

/** Pages that one request looks through at most: a rare type is found by going on from `nextAfter`. */
const MAX_PAGES = 10;

const pageOfStream = async (
  store: Store,
  stream: string,
  { type, after, limit }: AuditQuery,
): Promise<Page> => {
  const found: StoredEvent[] = [];
  for (let fromRevision = 0; ; fromRevision += MAX_PAGE) {
    const page = await store.readStream(stream, { fromRevision, limit: MAX_PAGE });
    for (const event of page) {
      if (event.position <= after || (type !== undefined && event.type !== type)) continue;
      if (found.length === limit) return { events: found, nextAfter: found.at(-1)?.position ?? null };
      found.push(event);
    }
    if (page.length < MAX_PAGE) return { events: found, nextAfter: null };
  }
};

const pageOfLog = async (store: Store, { type, after, limit }: AuditQuery): Promise<Page> => {
  const found: StoredEvent[] = [];
  let position = after;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await store.readAll(position, type === undefined ? limit : MAX_PAGE);
    for (const event of page) {
      position = event.position;
      if (type === undefined || event.type === type) found.push(event);
      if (found.length === limit) return { events: found, nextAfter: position };
    }
    if (page.length === 0) return { events: found, nextAfter: null };
  }
  return { events: found, nextAfter: position };
};

/** The event log, for auditors: what happened, in order, without what is encrypted. */
export const auditRoutes = ({ store }: ProjectionDeps): readonly Route[] => [
  route({
    method: 'GET',
    base: 'management',
    service: 'projection',
    caller: auditor,
    path: '/audit/events',
    file: 'projection-service/contexts/audit/audit.routes.ts',
    summary: 'Read the event log, or one of its streams',
    schemas: { query: auditQuery },
    answer: auditPage,
    handle: async ({ query }) => {
      const { stream } = query;
      const page = await (stream === undefined
        ? pageOfLog(store, query)
        : pageOfStream(store, stream, query));
      return ok({ events: maskedEvents(page.events), nextAfter: page.nextAfter });
    },
  }),
];
