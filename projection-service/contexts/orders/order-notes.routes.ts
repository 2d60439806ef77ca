import {
  directionOf,
  listQuery,
  pageResponse,
  pageSchema,
  type ListQuery,
} from '#contracts/listing.contract.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { orderNote } from '#contracts/orders.contract.ts';
import { ok, reader, route, type Route } from '#http/route.ts';
import { notFound } from '#kernel/entity.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { orderListProjection } from './order-list.projection.ts';
import { orderNotesProjection } from './order-notes.projection.ts';
import { noteResponse, countNotes, readNotes } from './order-notes.queries.ts';
import type { OrderDocument, OrderNote } from './order.document.ts';

type Found = readonly [notes: readonly OrderNote[], total: number];

/** A page, newest first unless the oldest are asked for. */
const pageOf = async (
  { reader: views }: Pick<ProjectionDeps, 'reader'>,
  order: OrderDocument,
  query: ListQuery,
): Promise<Found> => {
  const { page, pageSize } = query;
  const isNewestFirst = directionOf(query, 'desc') === 'desc';
  const skip = (page - 1) * pageSize;
  const total = countNotes(order);
  const wanted = query.search?.toLowerCase();
  if (wanted) {
    const all = (await readNotes(views, order, 0, total)).filter(({ text }) =>
      text?.toLowerCase().includes(wanted),
    );
    return [(isNewestFirst ? all : all.toReversed()).slice(skip, skip + pageSize), all.length];
  }
  if (isNewestFirst) return [await readNotes(views, order, skip, pageSize), total];
  const first = Math.max(0, total - skip - pageSize);
  const notes = await readNotes(views, order, first, Math.max(0, total - skip - first));
  return [notes.toReversed(), total];
};

/** All that people read about an order (docs/rules/orders.md#notes). */
export const orderNotesRoute = (deps: ProjectionDeps): Route =>
  route({
    method: 'GET',
    base: 'management',
    service: 'projection',
    caller: reader,
    path: '/orders/{id}/notes',
    file: import.meta.url,
    summary: 'List the notes of an invoice, newest first',
    schemas: { params: entityParams, query: listQuery },
    response: pageSchema(orderNote),
    errors: ['entity-not-found'],
    reads: [orderListProjection, orderNotesProjection],
    handle: async ({ params, query }) => {
      const order = await deps.reader.get<OrderDocument>(orderListProjection.name, params.id);
      if (!order) throw notFound('order');
      const [notes, total] = await pageOf(deps, order, query);
      return ok(pageResponse(notes.map(noteResponse), total, query));
    },
  });
