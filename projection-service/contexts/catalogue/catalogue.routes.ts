import {
  collectionAnswer,
  collectionSchema,
  productTypeAnswer,
  productTypeSchema,
} from '#contracts/catalogue.contract.ts';
import type { Route } from '#http/route.ts';
import { entityRoutes } from '../../engine/entity-routes.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { entityOf } from '../../entity-document.ts';
import { collectionListProjection, type CollectionDocument } from './collection-list.projection.ts';
import { productTypeListProjection, type ProductTypeDocument } from './product-type-list.projection.ts';
import { productRoutes } from './products.routes.ts';

const file = 'projection-service/contexts/catalogue/catalogue.routes.ts';

/** Products, their types and collections, to be read; what changes them is the command service's. */
export const catalogueRoutes = (deps: ProjectionDeps): readonly Route[] => [
  ...productRoutes(deps),
  ...entityRoutes<ProductTypeDocument>(deps, {
    view: productTypeListProjection,
    path: '/product-types',
    noun: 'product type',
    answer: productTypeSchema,
    toAnswer: (document) => productTypeAnswer(entityOf(document)),
    file,
  }),
  ...entityRoutes<CollectionDocument>(deps, {
    view: collectionListProjection,
    path: '/collections',
    noun: 'collection',
    answer: collectionSchema,
    toAnswer: (document) => collectionAnswer(entityOf(document)),
    file,
  }),
];
