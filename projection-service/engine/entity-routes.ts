import { z } from 'zod';
import { listFields, pageAnswer, pageSchema } from '#contracts/listing.contract.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { ok, reader as anyReader, route, type Route } from '#http/route.ts';
import { notFound } from '#kernel/entity.ts';
import type { Filter } from '#ports/document-store.ts';
import type { EntityDocument } from '../entity-document.ts';
import { listView, type ListOrder } from './list-view.ts';
import { readViews } from './read-views.ts';
import type { ProjectionDeps } from './service-deps.ts';

export const entityOrder: ListOrder = {
  fields: { name: 'searchText', dateCreated: 'dateCreated' },
  newest: 'dateCreated',
};

export const searchFilter = (search: string | undefined): Filter =>
  search === undefined || search === '' ? {} : { searchText: { contains: search.toLowerCase() } };

/** Where a kind of entity is listed and shown. */
interface EntityListing<Doc extends EntityDocument<unknown>> {
  readonly view: string;
  readonly path: `/${string}`;
  /** What people call one of them: `warehouse`. */
  readonly noun: string;
  readonly answer: z.ZodType;
  /** Just what the change of the entity answers. */
  readonly toAnswer: (document: Doc) => unknown;
  readonly file: string;
}

const listQuery = z.object(listFields());

/** `GET` of the list and of one entity, for everything that is only kept (decisions, management 1). */
export const entityRoutes = <Doc extends EntityDocument<unknown>>(
  deps: ProjectionDeps,
  { view, path, noun, answer, toAnswer, file }: EntityListing<Doc>,
): readonly Route[] => [
  route({
    method: 'GET',
    base: 'management',
    path,
    service: 'projection',
    caller: anyReader,
    summary: `List every ${noun}, newest first, by page`,
    schemas: { query: listQuery },
    answer: pageSchema(answer),
    file,
    handle: (request) =>
      readViews(deps, [view], request, async () => {
        const { query } = request;
        const filter = searchFilter(query.search);
        const found = await listView<Doc>(deps.reader, view, query, entityOrder, filter);
        return ok(pageAnswer(found.documents.map(toAnswer), found.totalItems, query));
      }),
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
    handle: (request) =>
      readViews(deps, [view], request, async () => {
        const document = await deps.reader.get<Doc>(view, request.params.id);
        if (!document) throw notFound(noun);
        return ok(toAnswer(document));
      }),
  }),
];
