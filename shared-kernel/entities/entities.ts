import { collection } from './collection.entity.ts';
import { discount } from './discount.entity.ts';
import { productType } from './product-type.entity.ts';
import { shippingOption } from './shipping-option.entity.ts';
import { shippingTaxOverride } from './shipping-tax-override.entity.ts';
import { taxGroup } from './tax-group.entity.ts';
import { warehouse } from './warehouse.entity.ts';

/** Every kind of managed thing, in the order in which a store file imports them: what refers to others after those. */
export const entities = [
  taxGroup,
  shippingTaxOverride,
  warehouse,
  shippingOption,
  productType,
  collection,
  discount,
] as const;
