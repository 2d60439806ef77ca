import type { EntityKind } from '#entities/define-entity.ts';
import { entities } from '#entities/entities.ts';
import type { AnyProjection } from '#kernel/projection.ts';
import { basketProjection } from './contexts/basket/basket.projection.ts';
import { productListProjection } from './contexts/catalogue/product-list.projection.ts';
import { stockLevelsProjection } from './contexts/catalogue/stock-levels.projection.ts';
import { discountListProjection } from './contexts/discounts/discount-list.projection.ts';
import { orderListProjection } from './contexts/orders/order-list.projection.ts';
import { dailySalesProjection } from './contexts/reporting/daily-sales.projection.ts';
import { entityView } from './engine/entity-view.ts';

/** Managed things of one context beside each other. */
export const entitiesByContext: readonly EntityKind[] = entities.toSorted((one, other) =>
  one.context.localeCompare(other.context),
);

/** Every read model of the shop. */
export const projections: readonly AnyProjection[] = [
  basketProjection,
  orderListProjection,
  dailySalesProjection,
  productListProjection,
  stockLevelsProjection,
  ...entitiesByContext.map(entityView),
  discountListProjection,
];
