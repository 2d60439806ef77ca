import type { ShippingOption } from '#entities/shipping-option.entity.ts';

/** Three to five days at one price, wherever the warehouse delivers. */
export const flatRate = (warehouseId: string, cost: number): ShippingOption => ({
  name: 'Parcel',
  warehouseId,
  providerKey: 'flat-rate',
  serviceType: null,
  isEnabled: true,
  fixedCost: cost,
  daysFrom: 3,
  daysTo: 5,
  isNextDay: false,
  nextDayCutOffTime: null,
  costs: [],
  weightTiers: [],
  excludedRegions: [],
  postcodeRules: [],
  allowsDeliveryDateSelection: false,
  minDeliveryDays: null,
  maxDeliveryDays: null,
  allowedDaysOfWeek: null,
  isDeliveryDateGuaranteed: false,
});
