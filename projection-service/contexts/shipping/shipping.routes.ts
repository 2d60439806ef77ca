import {
  shippingOptionAnswer,
  shippingOptionSchema,
  warehouseAnswer,
  warehouseSchema,
} from '#contracts/shipping.contract.ts';
import type { Route } from '#http/route.ts';
import { entityRoutes } from '../../engine/entity-routes.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { entityOf } from '../../entity-document.ts';
import {
  shippingOptionListProjection,
  type ShippingOptionDocument,
} from './shipping-option-list.projection.ts';
import { warehouseListProjection, type WarehouseDocument } from './warehouse-list.projection.ts';

const file = 'projection-service/contexts/shipping/shipping.routes.ts';

/** Warehouses and shipping options, to be read; what changes them is the command service's. */
export const shippingRoutes = (deps: ProjectionDeps): readonly Route[] => [
  ...entityRoutes<WarehouseDocument>(deps, {
    view: warehouseListProjection,
    path: '/warehouses',
    noun: 'warehouse',
    answer: warehouseSchema,
    toAnswer: (document) => warehouseAnswer(entityOf(document)),
    file,
  }),
  ...entityRoutes<ShippingOptionDocument>(deps, {
    view: shippingOptionListProjection,
    path: '/shipping-options',
    noun: 'shipping option',
    answer: shippingOptionSchema,
    toAnswer: (document) => shippingOptionAnswer(entityOf(document), deps.settings().storeCurrencyCode),
    file,
  }),
];
