import { z } from 'zod';
import { listFields } from '#contracts/listing.contract.ts';
import { entityParams } from '#contracts/management.contract.ts';
import type { EntityKind } from '#entities/define-entity.ts';
import { ok, reader as anyReader, route, type Route } from '#http/route.ts';
import { notFound } from '#kernel/entity.ts';
import type { AnyProjection } from '#kernel/projection.ts';
import type { Filter } from '#ports/document-store.ts';
import { entityOf, type EntityDocument } from '../entity-document.ts';
import { listRoute, type ListOrder } from './list-view.ts';
import type { ProjectionDeps } from './service-deps.ts';

export const entityOrder: ListOrder = {
  fields: { name: 'searchText', dateCreated: 'dateCreated' },
  newest: 'dateCreated',
};

export const searchFilter = (search: string | undefined): Filter =>
  search === undefined || search === '' ? {} : { searchText: { contains: search.toLowerCase() } };

/** What is listed and shown. */
interface EntityListing<Doc extends EntityDocument<unknown>> {
  readonly view: Pick<AnyProjection, 'name'>;
  readonly path: `/${string}`;
  /** What people call one of them: `warehouse`. */
  readonly noun: string;
  readonly order: ListOrder;
  readonly answer: z.ZodType;
  /** Just what the change of the entity answers. */
  readonly toAnswer: (document: Doc) => unknown;
  readonly file: string;
}

const listQuery = z.object(listFields());

/** `GET` of the list and of one. */
export const listingRoutes = <Doc extends EntityDocument<unknown>>(
  deps: ProjectionDeps,
  { view, path, noun, order, answer, toAnswer, file }: EntityListing<Doc>,
): readonly Route[] => [
  listRoute<Doc, typeof listQuery>(deps, {
    path,
    summary: `List every ${noun}, newest first, by page`,
    view,
    query: listQuery,
    order,
    filter: ({ search }) => searchFilter(search),
    row: answer,
    rows: (documents) => documents.map(toAnswer),
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
    answer,
    errors: ['entity-not-found'],
    file,
    reads: [view],
    handle: async (request) => {
      const document = await deps.reader.get<Doc>(view.name, request.params.id);
      if (!document) throw notFound(noun);
      return ok(toAnswer(document));
    },
  }),
];

/** `GET` of the list and of one, for a declared kind. */
export const entityRoutes = (deps: ProjectionDeps, kind: EntityKind): readonly Route[] => {
  const { list, path, noun, sorted, answer, file } = kind;
  const fields = Object.fromEntries(sorted.map((field) => [field, `fields.${field}`]));
  return listingRoutes<EntityDocument<object>>(deps, {
    view: { name: list },
    path,
    noun,
    order: { ...entityOrder, fields: { ...fields, ...entityOrder.fields } },
    answer,
    toAnswer: (document) => kind.toAnswer(entityOf(document), deps.settings().storeCurrencyCode),
    file,
  });
};
