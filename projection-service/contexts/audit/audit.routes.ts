import { setImmediate as nextTurn } from 'node:timers/promises';
import { auditPage, auditQuery, type AuditQuery } from '#contracts/audit.contract.ts';
import { maskedEvents } from '#log/masked-events.ts';
import { auditor, ok, route, type Route } from '#http/route.ts';
import { invalidRequest } from '#kernel/rejection.ts';
import { NoSuchPosition } from '#ports/engine-errors.ts';
import type { StoredEvent } from '#ports/event-store.ts';
import { firstRevision } from '../../engine/first-revision.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';

type Store = ProjectionDeps['store'];

interface Page {
  readonly events: readonly StoredEvent[];
  /** Position up to which the log was looked through; null at its end. */
  readonly nextAfter: number | null;
}

/** Events that one request looks through at most: a rare type is found by going on from `nextAfter`. */
const MAX_LOOKED_THROUGH = 10_000;
/** Characters of events that one request answers, but one event at least: a moment's work. */
const MAX_ANSWERED = 1_000_000;
/** Events read in one turn of the event loop. */
const READ_AT_ONCE = 200;

/** The log, or one of its streams, after a position; other work waits for one batch at most. */
async function* eventsAfter(
  store: Store,
  { stream, after }: AuditQuery,
): AsyncGenerator<readonly StoredEvent[]> {
  let position = after;
  let revision =
    stream === undefined ? 0 : await firstRevision(store, stream, ({ position: at }) => at > after);
  for (;;) {
    const batch = await (stream === undefined
      ? store.readAll(position, READ_AT_ONCE)
      : store.readStream(stream, { fromRevision: revision, limit: READ_AT_ONCE }));
    const last = batch.at(-1);
    if (last === undefined) return;
    yield batch;
    position = last.position;
    revision = last.revision + 1;
    await nextTurn();
  }
}

const pageOf = async (store: Store, query: AuditQuery): Promise<Page> => {
  const { type, after, limit } = query;
  const found: StoredEvent[] = [];
  let position = after;
  let characters = 0;
  let lookedThrough = 0;
  for await (const batch of eventsAfter(store, query)) {
    for (const event of batch) {
      if (type === undefined || event.type === type) {
        characters += event.data.length + event.metadata.length;
        const isFull = found.length === limit || (found.length > 0 && characters > MAX_ANSWERED);
        if (isFull) return { events: found, nextAfter: position };
        found.push(event);
      }
      position = event.position;
    }
    lookedThrough += batch.length;
    if (lookedThrough >= MAX_LOOKED_THROUGH) return { events: found, nextAfter: position };
  }
  return { events: found, nextAfter: null };
};

/** A position that the caller made up, in a log where not every number is one. */
const asRefusal = (error: unknown): never => {
  if (!(error instanceof NoSuchPosition)) throw error;
  throw invalidRequest('after: must be 0 or the position of an event');
};

/** The event log, for auditors: what happened, in order, without what is encrypted. */
export const auditRoutes = ({ store }: ProjectionDeps): readonly Route[] => [
  route({
    method: 'GET',
    base: 'management',
    service: 'projection',
    caller: auditor,
    path: '/audit/events',
    file: import.meta.url,
    summary: 'Read the event log, or one of its streams',
    schemas: { query: auditQuery },
    response: auditPage,
    handle: async ({ query }) => {
      const page = await pageOf(store, query).catch(asRefusal);
      return ok({ events: maskedEvents(page.events), nextAfter: page.nextAfter });
    },
  }),
];
