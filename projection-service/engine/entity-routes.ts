import { z } from 'zod';
import { listFields } from '#contracts/listing.contract.ts';
import { entityParams } from '#contracts/management.contract.ts';
import type { EntityType } from '#entities/define-entity.ts';
import { ok, reader as anyReader, route, type Route } from '#http/route.ts';
import { notFound, refuseProblems } from '#kernel/entity.ts';
import type { Document } from '#kernel/projection.ts';
import type { Filter } from '#ports/document-store.ts';
import { entityOf } from '../entity-document.ts';
import { figuresOf, type EntityViewDocument } from './entity-view.ts';
import { listRoute, type ListOrder } from './list-view.ts';
import type { ViewReader } from './reader.ts';
import type { ProjectionDeps } from './service-deps.ts';

export const entityOrder: ListOrder = {
  fields: { name: 'searchText', dateCreated: 'dateCreated' },
  newest: 'dateCreated',
};

const MAX_FOUND = 1000;

export const searchFilter = (search: string | undefined): Filter =>
  search === undefined || search === '' ? {} : { searchText: { contains: search.toLowerCase() } };

/** Of the documents of a list those that are searched for: no more than a filter may name. */
export const idsFound = async (
  views: Pick<ViewReader, 'find'>,
  list: string,
  search: string,
): Promise<readonly string[]> => {
  const found = await views.find<Document>(list, {
    filter: searchFilter(search),
    sort: [['_id', 1]],
    limit: MAX_FOUND,
  });
  if (found.length === MAX_FOUND)
    refuseProblems([`search: matches ${MAX_FOUND} entries or more; be more specific`]);
  return found.map(({ _id }) => _id);
};

const listQuery = z.object(listFields());

type Figures = Readonly<Record<string, number>>;

/** Figures that are counted on reading. */
export interface CountedFigures {
  readonly reads: NonNullable<Route['reads']>;
  /** Refusals of its own. */
  readonly errors: Route['errors'];
  /** `position`: of the log, up to which the caller has to be told the truth. */
  of(ids: readonly string[], position: number): Promise<ReadonlyMap<string, Figures>>;
}

const nothingCounted: CountedFigures = { reads: [], errors: [], of: () => Promise.resolve(new Map()) };

/** `GET` of the list and of one, for a declared kind. */
export const entityQueryRoutes = (
  deps: ProjectionDeps,
  kind: EntityType,
  counted: CountedFigures = nothingCounted,
): readonly Route[] => {
  const { list, path, noun, sorted, response, file } = kind;
  const view = { name: list };
  const fields = Object.fromEntries(sorted.map((field) => [field, `fields.${field}`]));
  const show = async (documents: readonly EntityViewDocument[], position = 0): Promise<readonly object[]> => {
    const figures = await counted.of(
      documents.map(({ _id }) => _id),
      position,
    );
    return documents.map((document) =>
      kind.toResponse(entityOf(document), {
        currency: deps.settings().storeCurrencyCode,
        figures: { ...figuresOf(kind, document), ...figures.get(document._id) },
        find: deps.reference.entities.find,
      }),
    );
  };
  return [
    listRoute<EntityViewDocument, typeof listQuery>(deps, {
      path,
      summary: `List every ${noun}, newest first, by page`,
      view,
      reads: counted.reads,
      errors: counted.errors,
      query: listQuery,
      order: { ...entityOrder, fields: { ...fields, ...entityOrder.fields } },
      filter: ({ search }) => searchFilter(search),
      row: response,
      rows: show,
      file,
    }),
    route({
      method: 'GET',
      base: 'management',
      path: `${path}/{id}`,
      service: 'projection',
      caller: anyReader,
      summary: `Show one ${noun}`,
      schemas: { params: entityParams },
      response,
      errors: ['entity-not-found', ...counted.errors],
      file,
      reads: [view, ...counted.reads],
      handle: async (request) => {
        const document = await deps.reader.get<EntityViewDocument>(list, request.params.id);
        if (!document) throw notFound(noun);
        const [shown] = await show([document], request.position?.log);
        return ok(shown);
      },
    }),
  ];
};
