import type { z } from 'zod';
import { directionOf, pageResponse, pageSchema, type ListQuery } from '#contracts/listing.contract.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { ok, reader, route, type Route } from '#http/route.ts';
import type { AnyProjection, Document, Figures } from '#kernel/projection.ts';
import type { Filter, FindOptions } from '#ports/document-store.ts';
import type { ViewReader } from './reader.ts';
import type { ProjectionDeps } from './service-deps.ts';

/** How a list is sorted: the fields behind each `sortBy`, and what an unknown one falls back to. */
export interface ListOrder {
  readonly fields: Readonly<Record<string, string>>;
  readonly newest: string;
  /** Of a `sortBy` without a direction. Default: ascending. */
  readonly direction?: 'asc' | 'desc';
}

/** `sortBy` in any case; an unknown one, or none, means newest first. */
const sortOf = (query: ListQuery, { fields, newest, direction }: ListOrder) => {
  const wanted = query.sortBy?.toLowerCase();
  const field = Object.keys(fields).find((name) => name.toLowerCase() === wanted);
  const sortField = field === undefined ? undefined : fields[field];
  const asked = directionOf(query, direction) === 'desc' ? -1 : 1;
  return sortField === undefined ? inOneDirection(newest, -1) : inOneDirection(sortField, asked);
};

/** Ties in the direction of the sort, so that an index is read from one end or from the other. */
const inOneDirection = (field: string, direction: 1 | -1): NonNullable<FindOptions['sort']> =>
  field === '_id'
    ? [[field, direction]]
    : [
        [field, direction],
        ['_id', direction],
      ];

/** Any document: what serves a count of conditions that no index of their own serves. */
const anyId: Filter = { _id: { gte: '' } };

interface Page {
  readonly filter: Filter;
  readonly sort: NonNullable<FindOptions['sort']>;
  readonly skip: number;
  readonly limit: number;
}

/**
 * A page of documents, read from the nearer end of the list, since skipped ones are walked over. Ties follow the
 * direction of the sort, so that backwards is the same order.
 */
const pageOf = async <Doc extends Document>(
  views: Pick<ViewReader, 'find'>,
  view: string,
  { filter, sort, skip, limit }: Page,
  total: number,
): Promise<readonly Doc[]> => {
  const left = total - skip;
  if (skip <= left) return views.find<Doc>(view, { filter, sort, skip, limit });
  if (left <= 0) return [];
  const backwards = sort.map(([field, direction]) => [field, direction === 1 ? -1 : 1] as const);
  const fromEnd = { skip: Math.max(0, left - limit), limit: Math.min(limit, left) };
  return (await views.find<Doc>(view, { filter, sort: backwards, ...fromEnd })).toReversed();
};

/** One page of a view, and how many documents there are in all. */
const listView = async <Doc extends Document>(
  views: ViewReader,
  view: string,
  query: ListQuery,
  order: ListOrder,
  filter: Filter,
  total?: number,
): Promise<{ readonly documents: readonly Doc[]; readonly totalItems: number }> => {
  const { page, pageSize } = query;
  const skip = (page - 1) * pageSize;
  const asked = { filter, sort: sortOf(query, order), skip, limit: pageSize };
  const count = (): Promise<number> =>
    views.count(view, Object.keys(filter).length > 0 ? { ...anyId, ...filter } : {});
  if (skip > 0 || total !== undefined) {
    const totalItems = total ?? (await count());
    return { documents: await pageOf(views, view, asked, totalItems), totalItems };
  }
  const documents = await views.find<Doc>(view, asked);
  // A first page that is the last tells how many there are: what a search has looked through is not counted again.
  return { documents, totalItems: documents.length < pageSize ? documents.length : await count() };
};

/** A list of the management API: a page of one view, row by document. */
export interface Listing<Doc extends Document, Query extends z.ZodType<ListQuery>> {
  readonly path: string;
  readonly summary: string;
  /** Its documents, one row each; `reads` names what the rows are completed from. */
  readonly view: Pick<AnyProjection, 'name'>;
  readonly reads?: Route['reads'];
  readonly query: Query;
  readonly order: ListOrder;
  /** `figures`: the counters of the view, for those with a `total`. */
  readonly filter: (query: z.output<Query>, figures: Figures) => Filter | Promise<Filter>;
  /** How many documents there are, where the view's counters know it. */
  readonly total?: (query: z.output<Query>, figures: Figures) => number | undefined;
  /** Refusals of its own. */
  readonly errors?: Route['errors'];
  /** Below `{id}`: what belongs to that one. Errors: `entity-not-found`. */
  readonly within?: (id: string) => Filter | Promise<Filter>;
  /** The schema of one row. */
  readonly row: z.ZodType;
  /** `position`: of the log, that the caller has brought along. */
  readonly rows: (
    documents: readonly Doc[],
    position?: number,
  ) => readonly unknown[] | Promise<readonly unknown[]>;
  readonly file: string;
}

export const listRoute = <Doc extends Document, Query extends z.ZodType<ListQuery>>(
  deps: ProjectionDeps,
  listing: Listing<Doc, Query>,
): Route => {
  const {
    path,
    summary,
    view,
    reads = [],
    errors = [],
    query: schema,
    order,
    filter,
    total,
    within,
    row,
    rows,
    file,
  } = listing;
  return route({
    method: 'GET',
    base: 'management',
    service: 'projection',
    caller: reader,
    path,
    summary,
    schemas: { ...(within && { params: entityParams }), query: schema },
    response: pageSchema(row),
    errors: [...(within ? ['entity-not-found'] : []), ...errors],
    reads: [view, ...reads],
    file,
    handle: async (request) => {
      const query = request.query as z.output<Query>;
      const owned = await within?.((request.params as z.output<typeof entityParams>).id);
      const figures = total ? await deps.reader.counters(view.name) : {};
      const wanted = { ...(await filter(query, figures)), ...owned };
      const counted = total?.(query, figures);
      const found = await listView<Doc>(deps.reader, view.name, query, order, wanted, counted);
      return ok(pageResponse(await rows(found.documents, request.position?.log), found.totalItems, query));
    },
  });
};
