import type { CatalogueGroupEvent } from '#events/catalogue.events.ts';
import { projection, remove } from '#kernel/projection.ts';
import { idOf } from '#values/stream-name.ts';
import { changedEntity, createdEntity, entityIndexes, type EntityDocument } from '../../entity-document.ts';

export type ProductTypeDocument = EntityDocument<{ readonly name: string; readonly alias: string }>;

type ProductTypeEvent = Extract<CatalogueGroupEvent, { readonly type: `ProductType${string}` }>;

/** Product types by id. */
export const productTypeListProjection = projection<ProductTypeEvent>()<ProductTypeDocument>({
  name: 'productTypes',
  version: 1,
  indexes: entityIndexes,
  keys: (event) => [idOf(event.stream)],
  on: {
    ProductTypeCreated: (_document, { data: { name, alias, at } }, key) =>
      createdEntity(key, { name, alias }, [name, alias], at),
    ProductTypeChanged: (document, { data: { name, alias, at } }) =>
      changedEntity(document, { name, alias }, [name, alias], at),
    ProductTypeDeleted: () => remove,
  },
});
