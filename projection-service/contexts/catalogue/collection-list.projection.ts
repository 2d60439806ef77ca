import type { CatalogueGroupEvent } from '#events/catalogue.events.ts';
import { projection, remove } from '#kernel/projection.ts';
import { idOf } from '#values/stream-name.ts';
import { changedEntity, createdEntity, entityIndexes, type EntityDocument } from '../../entity-document.ts';

export type CollectionDocument = EntityDocument<{ readonly name: string; readonly slug: string }>;

type CollectionEvent = Extract<CatalogueGroupEvent, { readonly type: `Collection${string}` }>;

/** Collections of products by id. */
export const collectionListProjection = projection<CollectionEvent>()<CollectionDocument>({
  name: 'collections',
  version: 1,
  indexes: entityIndexes,
  keys: (event) => [idOf(event.stream)],
  on: {
    CollectionCreated: (_document, { data: { name, slug, at } }, key) =>
      createdEntity(key, { name, slug }, [name, slug], at),
    CollectionChanged: (document, { data: { name, slug, at } }) =>
      changedEntity(document, { name, slug }, [name, slug], at),
    CollectionDeleted: () => remove,
  },
});
