import type { Entities } from '#command/engine/entities.ts';
import { entityRoutes } from '#command/engine/entity-routes.ts';
import {
  changeCollection,
  changeProductType,
  collectionAnswer,
  collectionSchema,
  createCollection,
  createProductType,
  productTypeAnswer,
  productTypeSchema,
} from '#contracts/catalogue.contract.ts';
import type { Route } from '#http/route.ts';
import type { Collection, ProductType } from './catalogue-groups.decider.ts';

const file = 'command-service/contexts/catalogue/catalogue-groups.routes.ts';

export const productTypeRoutes = (entities: Entities<ProductType>): readonly Route[] =>
  entityRoutes({
    entities,
    path: '/product-types',
    noun: 'product type',
    createBody: createProductType,
    changeBody: changeProductType,
    answer: productTypeSchema,
    toAnswer: productTypeAnswer,
    file,
  });

export const collectionRoutes = (entities: Entities<Collection>): readonly Route[] =>
  entityRoutes({
    entities,
    path: '/collections',
    noun: 'collection',
    createBody: createCollection,
    changeBody: changeCollection,
    answer: collectionSchema,
    toAnswer: collectionAnswer,
    file,
  });
