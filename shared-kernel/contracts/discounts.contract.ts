import { z } from 'zod';
import type { Discount, DiscountRule } from '#events/discount.events.ts';
import type { Entity } from '#kernel/entity.ts';
import { toDecimal, toMinor } from '#values/money.ts';
import {
  amount,
  answerDates,
  changeBody,
  createBody,
  enumOf,
  instant,
  longText,
  money,
  name,
  optionalText,
  validFields,
  type CurrencyOf,
} from './management.contract.ts';

const limit = z.int().positive().nullable();
const notYet = (what: string) => `${what} cannot be used yet`;

const shape = (currency: CurrencyOf) => ({
  name,
  description: longText,
  category: enumOf({ AmountOffProducts: 0, BuyXGetY: 1, AmountOffOrder: 2, FreeShipping: 3 }),
  method: enumOf({ Code: 0, Automatic: 1 }),
  code: z.string().trim().toUpperCase().min(1).max(250).nullable(),
  valueType: enumOf({ FixedAmount: 0, Percentage: 1, Free: 2 }),
  value: z.number(),
  priority: z.int(),
  startsAt: instant,
  endsAt: instant.nullable(),
  timezone: optionalText,
  totalUsageLimit: limit,
  perCustomerUsageLimit: limit,
  perOrderUsageLimit: limit,
  requirementType: enumOf({ None: 0, MinimumPurchaseAmount: 1, MinimumQuantity: 2 }),
  requirementValue: money(currency).min(0).nullable(),
  minimumPurchaseAmount: amount(currency).nullable(),
  minimumQuantity: z.int().min(0).nullable(),
  canCombineWithProductDiscounts: z.boolean(),
  canCombineWithOrderDiscounts: z.boolean(),
  canCombineWithShippingDiscounts: z.boolean(),
  showInFeed: z.boolean(),
  feedPromotionName: optionalText,
});

/** Rules that no discount follows yet (docs/rules/discounts.md): refused, so that nobody relies on them. */
const missing = {
  applyAfterTax: z.literal(false, notYet('applyAfterTax')).optional(),
  targetRules: z.array(z.unknown()).max(0, notYet('targetRules')).optional(),
  eligibilityRules: z.array(z.unknown()).max(0, notYet('eligibilityRules')).optional(),
  buyXGetY: z.null(notYet('buyXGetY')).optional(),
  freeShipping: z.null(notYet('freeShipping')).optional(),
};

const withoutMissing = <Given extends object>(given: Given): Omit<Given, keyof typeof missing> =>
  Object.fromEntries(Object.entries(given).filter(([field]) => !(field in missing))) as Omit<
    Given,
    keyof typeof missing
  >;

const defaults = {
  description: null,
  code: null,
  value: 0,
  priority: 1000,
  endsAt: null,
  timezone: null,
  totalUsageLimit: null,
  perCustomerUsageLimit: null,
  perOrderUsageLimit: null,
  requirementType: 'None',
  requirementValue: null,
  minimumPurchaseAmount: null,
  minimumQuantity: null,
  canCombineWithProductDiscounts: false,
  canCombineWithOrderDiscounts: false,
  canCombineWithShippingDiscounts: false,
  showInFeed: false,
  feedPromotionName: null,
} as const;

export const createDiscount = (currency: CurrencyOf) =>
  createBody({ ...shape(currency), startsAt: instant.optional(), ...missing }, defaults).transform(
    withoutMissing,
  );

export const changeDiscount = (currency: CurrencyOf) =>
  changeBody({ ...shape(currency), ...missing }).transform(withoutMissing);

/** The fields of a body that is refused that are fine; `isNew`: with what a creation may leave out. */
export const validDiscountFields = (
  body: unknown,
  currency: CurrencyOf,
  isNew: boolean,
): Partial<Discount> => {
  const left = Object.entries(isNew ? defaults : {}).filter(([field]) => !(field in (body as object)));
  return { ...Object.fromEntries(left), ...validFields(shape(currency), body) };
};

/** As given: `requirementValue` still a decimal, `startsAt` perhaps not there. */
export type DiscountGiven = z.output<ReturnType<typeof changeDiscount>>;

/** An amount or pieces, by the kind of the requirement. */
export const requirementIn = (
  type: DiscountRule['requirementType'],
  value: number | null,
  currency: string,
): number | null => (value === null || type !== 'MinimumPurchaseAmount' ? value : toMinor(value, currency));

export const discountAnswer = (
  { id, fields, dateCreated, dateUpdated }: Entity<Discount>,
  usageCount: number,
  currency: string,
) => {
  const shown = (minor: number | null): number | null => (minor === null ? null : toDecimal(minor, currency));
  const { requirementType, requirementValue } = fields;
  return {
    id,
    ...fields,
    value: fields.valueType === 'FixedAmount' ? toDecimal(fields.value, currency) : fields.value,
    requirementValue:
      requirementType === 'MinimumPurchaseAmount' ? shown(requirementValue) : requirementValue,
    minimumPurchaseAmount: shown(fields.minimumPurchaseAmount),
    applyAfterTax: false,
    targetRules: [],
    eligibilityRules: [],
    buyXGetY: null,
    freeShipping: null,
    usageCount,
    dateCreated,
    dateUpdated,
  };
};

export const discountSchema = z.looseObject({
  ...answerDates,
  name: z.string(),
  status: z.string(),
  category: z.string(),
  method: z.string(),
  code: z.string().nullable(),
  valueType: z.string(),
  value: z.number(),
  startsAt: z.string(),
  endsAt: z.string().nullable(),
  totalUsageLimit: z.int().nullable(),
  perCustomerUsageLimit: z.int().nullable(),
  usageCount: z.int(),
});
