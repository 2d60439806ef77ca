import type { AnyProjection } from '#kernel/projection.ts';
import { basketProjection } from './contexts/basket/basket.projection.ts';
import { collectionListProjection } from './contexts/catalogue/collection-list.projection.ts';
import { productListProjection } from './contexts/catalogue/product-list.projection.ts';
import { productTypeListProjection } from './contexts/catalogue/product-type-list.projection.ts';
import { stockLevelsProjection } from './contexts/catalogue/stock-levels.projection.ts';
import { discountListProjection } from './contexts/discounts/discount-list.projection.ts';
import { orderListProjection } from './contexts/orders/order-list.projection.ts';
import { dailySalesProjection } from './contexts/reporting/daily-sales.projection.ts';
import { shippingOptionListProjection } from './contexts/shipping/shipping-option-list.projection.ts';
import { warehouseListProjection } from './contexts/shipping/warehouse-list.projection.ts';
import { taxGroupListProjection } from './contexts/tax/tax-group-list.projection.ts';

/** Every read model of the shop. */
export const projections: readonly AnyProjection[] = [
  basketProjection,
  orderListProjection,
  dailySalesProjection,
  productListProjection,
  stockLevelsProjection,
  productTypeListProjection,
  collectionListProjection,
  warehouseListProjection,
  shippingOptionListProjection,
  taxGroupListProjection,
  discountListProjection,
];
