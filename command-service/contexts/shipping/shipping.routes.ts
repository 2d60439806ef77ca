import type { Entities } from '#command/engine/entities.ts';
import { entityRoutes } from '#command/engine/entity-routes.ts';
import type { CurrencyOf } from '#contracts/management.contract.ts';
import {
  changeShippingOption,
  changeWarehouse,
  createShippingOption,
  createWarehouse,
  shippingOptionAnswer,
  shippingOptionSchema,
  warehouseAnswer,
  warehouseSchema,
} from '#contracts/shipping.contract.ts';
import type { ShippingOption, Warehouse } from '#events/shipping.events.ts';
import type { Route } from '#http/route.ts';

const file = 'command-service/contexts/shipping/shipping.routes.ts';

export const warehouseRoutes = (entities: Entities<Warehouse>): readonly Route[] =>
  entityRoutes({
    entities,
    path: '/warehouses',
    noun: 'warehouse',
    createBody: createWarehouse,
    changeBody: changeWarehouse,
    answer: warehouseSchema,
    toAnswer: warehouseAnswer,
    file,
  });

export const shippingOptionRoutes = (
  entities: Entities<ShippingOption>,
  currency: CurrencyOf,
): readonly Route[] =>
  entityRoutes({
    entities,
    path: '/shipping-options',
    noun: 'shipping option',
    createBody: createShippingOption(currency),
    changeBody: changeShippingOption(currency),
    answer: shippingOptionSchema,
    toAnswer: (entity) => shippingOptionAnswer(entity, currency()),
    file,
  });
