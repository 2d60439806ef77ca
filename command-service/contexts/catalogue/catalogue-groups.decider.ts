import { catalogueGroupEvents, type CatalogueGroupEvent } from '#events/catalogue.events.ts';
import { entityDecider } from '#kernel/entity.ts';

const {
  CollectionChanged,
  CollectionCreated,
  CollectionDeleted,
  ProductTypeChanged,
  ProductTypeCreated,
  ProductTypeDeleted,
} = catalogueGroupEvents.create;

export interface ProductType {
  readonly name: string;
  readonly alias: string;
}

export interface Collection {
  readonly name: string;
  readonly slug: string;
}

type ProductTypeEvent = Extract<CatalogueGroupEvent, { type: `ProductType${string}` }>;
type CollectionEvent = Extract<CatalogueGroupEvent, { type: `Collection${string}` }>;

export const productTypeDecider = entityDecider<ProductType, ProductTypeEvent>({
  category: 'productType',
  noun: 'product type',
  created: (fields, at) => ProductTypeCreated({ ...fields, at }),
  changed: (fields, at) => ProductTypeChanged({ ...fields, at }),
  deleted: () => ProductTypeDeleted({}),
  told: ({ type, data }) =>
    type === 'ProductTypeDeleted' ? null : { fields: { name: data.name, alias: data.alias }, at: data.at },
});

export const collectionDecider = entityDecider<Collection, CollectionEvent>({
  category: 'collection',
  noun: 'collection',
  created: (fields, at) => CollectionCreated({ ...fields, at }),
  changed: (fields, at) => CollectionChanged({ ...fields, at }),
  deleted: () => CollectionDeleted({}),
  told: ({ type, data }) =>
    type === 'CollectionDeleted' ? null : { fields: { name: data.name, slug: data.slug }, at: data.at },
});
