import { z } from 'zod';
import { listFields } from '#contracts/listing.contract.ts';
import { entityParams } from '#contracts/management.contract.ts';
import type { EntityKind } from '#entities/define-entity.ts';
import { ok, reader as anyReader, route, type Route } from '#http/route.ts';
import { notFound } from '#kernel/entity.ts';
import type { Filter } from '#ports/document-store.ts';
import { entityOf } from '../entity-document.ts';
import { figuresOf, type KeptDocument } from './entity-view.ts';
import { listRoute, type ListOrder } from './list-view.ts';
import type { ProjectionDeps } from './service-deps.ts';

export const entityOrder: ListOrder = {
  fields: { name: 'searchText', dateCreated: 'dateCreated' },
  newest: 'dateCreated',
};

export const searchFilter = (search: string | undefined): Filter =>
  search === undefined || search === '' ? {} : { searchText: { contains: search.toLowerCase() } };

const listQuery = z.object(listFields());

/** `GET` of the list and of one, for a declared kind. */
export const entityQueryRoutes = (deps: ProjectionDeps, kind: EntityKind): readonly Route[] => {
  const { list, path, noun, sorted, answer, file } = kind;
  const view = { name: list };
  const fields = Object.fromEntries(sorted.map((field) => [field, `fields.${field}`]));
  const show = (document: KeptDocument): object =>
    kind.toAnswer(entityOf(document), {
      currency: deps.settings().storeCurrencyCode,
      figures: figuresOf(kind, document),
      find: deps.reference.entities.find,
    });
  return [
    listRoute<KeptDocument, typeof listQuery>(deps, {
      path,
      summary: `List every ${noun}, newest first, by page`,
      view,
      query: listQuery,
      order: { ...entityOrder, fields: { ...fields, ...entityOrder.fields } },
      filter: ({ search }) => searchFilter(search),
      row: answer,
      rows: (documents) => documents.map(show),
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
        const document = await deps.reader.get<KeptDocument>(list, request.params.id);
        if (!document) throw notFound(noun);
        return ok(show(document));
      },
    }),
  ];
};
