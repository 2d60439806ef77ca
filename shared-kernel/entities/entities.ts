import { collection } from './collection.entity.ts';
import { customerSegment } from './customer-segment.entity.ts';
import { discount } from './discount.entity.ts';
import { fulfilmentProviderConfiguration } from './fulfilment-provider-configuration.entity.ts';
import { filterGroup } from './filter-group.entity.ts';
import { filter } from './filter.entity.ts';
import { productType } from './product-type.entity.ts';
import { shippingOption } from './shipping-option.entity.ts';
import { shippingTaxOverride } from './shipping-tax-override.entity.ts';
import { supplier } from './supplier.entity.ts';
import { shippingProvider } from './shipping-provider.entity.ts';
import { taxGroup } from './tax-group.entity.ts';
import { upsellRule } from './upsell-rule.entity.ts';
import { warehouse } from './warehouse.entity.ts';

/** Every kind of resource, in the order in which a store file imports them: what refers to others after those. */
export const entities = [
  taxGroup,
  shippingTaxOverride,
  fulfilmentProviderConfiguration,
  supplier,
  shippingProvider,
  warehouse,
  shippingOption,
  productType,
  collection,
  filterGroup,
  filter,
  customerSegment,
  discount,
  upsellRule,
] as const;
