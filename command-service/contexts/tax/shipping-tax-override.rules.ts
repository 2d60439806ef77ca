import type { ShippingTaxOverride } from '#entities/shipping-tax-override.entity.ts';
import { rulesOn } from '#kernel/entity.ts';
import { findRegion } from '#values/region.ts';

const rule = rulesOn<ShippingTaxOverride>();

export const shippingTaxOverrideRules = [
  rule(['countryCode', 'regionCode'], ({ countryCode, regionCode }) =>
    regionCode === null || findRegion(countryCode, regionCode)
      ? []
      : ['regionCode: must be a region of that country'],
  ),
];
