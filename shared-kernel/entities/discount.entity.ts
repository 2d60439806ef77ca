import { z } from 'zod';
import {
  amount,
  enumOf,
  instant as givenInstant,
  longText,
  money,
  name,
  optionalText,
} from '#contracts/management.contract.ts';
import type { EventOf } from '#events/define-events.ts';
import { discountUsageEvents, type DiscountUsageEvent } from '#events/discount-usage.events.ts';
import { count, instant, minor, text } from '#events/fields.ts';
import { toDecimal, toMinor } from '#values/money.ts';
import { defineEntity, figure, type FieldsOf, type NewOf } from './define-entity.ts';
import { step } from './entity-events.ts';

const status = z.enum(['Draft', 'Active', 'Scheduled', 'Expired', 'Disabled']);
const limit = z.int().positive().nullable();
const number = z.number().nullable();
const notYet = (what: string) => `${what} cannot be used yet`;
const neverYet = (what: string) => z.array(z.unknown()).max(0, notYet(what)).optional();

/** A discount rule (docs/rules/discounts.md#rules). Money in minor units of the store's currency. */
export const discount = defineEntity({
  category: 'discount',
  context: 'discounts',
  noun: 'discount',
  path: '/discounts',
  list: 'discounts',
  fields: {
    name: text,
    description: text.nullable(),
    category: z.enum(['AmountOffProducts', 'BuyXGetY', 'AmountOffOrder', 'FreeShipping']),
    method: z.enum(['Code', 'Automatic']),
    code: text.nullable(),
    valueType: z.enum(['FixedAmount', 'Percentage', 'Free']),
    /** A percentage for Percentage, minor units for FixedAmount. */
    value: z.number(),
    priority: z.int(),
    startsAt: instant,
    endsAt: instant.nullable(),
    timezone: text.nullable(),
    totalUsageLimit: count.nullable(),
    perCustomerUsageLimit: count.nullable(),
    /** Repeats of a BuyXGetY trigger in one order. */
    perOrderUsageLimit: count.nullable(),
    requirementType: z.enum(['None', 'MinimumPurchaseAmount', 'MinimumQuantity']),
    /** Minor units for MinimumPurchaseAmount, pieces for MinimumQuantity. */
    requirementValue: number,
    minimumPurchaseAmount: minor.nullable(),
    minimumQuantity: count.nullable(),
    canCombineWithProductDiscounts: z.boolean(),
    canCombineWithOrderDiscounts: z.boolean(),
    canCombineWithShippingDiscounts: z.boolean(),
    showInFeed: z.boolean(),
    feedPromotionName: text.nullable(),
    status,
  },
  recordedAs: 'rule',
  follows: ['status'],
  steps: {
    DiscountActivated: step({ status }, (told) => ({ status: told.status })),
    DiscountDeactivated: step({}, () => ({ status: 'Disabled' as const })),
  },
  body: (currency) => ({
    name,
    description: longText,
    category: enumOf({ AmountOffProducts: 0, BuyXGetY: 1, AmountOffOrder: 2, FreeShipping: 3 }),
    method: enumOf({ Code: 0, Automatic: 1 }),
    code: z.string().trim().toUpperCase().min(1).max(250).nullable(),
    valueType: enumOf({ FixedAmount: 0, Percentage: 1, Free: 2 }),
    value: z.number(),
    priority: z.int(),
    startsAt: givenInstant,
    endsAt: givenInstant.nullable(),
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
  }),
  defaults: {
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
  },
  begins: (at) => ({ startsAt: at }),
  stored: ({ requirementType, requirementValue }, known, currency) => {
    if (requirementValue === undefined || requirementValue === null) return {};
    const type = requirementType ?? known?.requirementType;
    return type === 'MinimumPurchaseAmount' ? { requirementValue: toMinor(requirementValue, currency) } : {};
  },
  answer: {
    name: z.string(),
    description: z.string().nullable(),
    category: z.string(),
    method: z.string(),
    code: z.string().nullable(),
    valueType: z.string(),
    value: z.number(),
    priority: z.int(),
    startsAt: z.string(),
    endsAt: z.string().nullable(),
    timezone: z.string().nullable(),
    totalUsageLimit: z.int().nullable(),
    perCustomerUsageLimit: z.int().nullable(),
    perOrderUsageLimit: z.int().nullable(),
    requirementType: z.string(),
    requirementValue: number,
    minimumPurchaseAmount: number,
    minimumQuantity: z.int().nullable(),
    canCombineWithProductDiscounts: z.boolean(),
    canCombineWithOrderDiscounts: z.boolean(),
    canCombineWithShippingDiscounts: z.boolean(),
    showInFeed: z.boolean(),
    feedPromotionName: z.string().nullable(),
    status: z.string(),
  },
  show: ({ valueType, value, requirementType, requirementValue, minimumPurchaseAmount }, currency) => {
    const shown = (sum: number | null): number | null => (sum === null ? null : toDecimal(sum, currency));
    return {
      value: valueType === 'FixedAmount' ? toDecimal(value, currency) : value,
      requirementValue:
        requirementType === 'MinimumPurchaseAmount' ? shown(requirementValue) : requirementValue,
      minimumPurchaseAmount: shown(minimumPurchaseAmount),
    };
  },
  // Rules that no discount follows yet are refused, so that nobody relies on them (docs/rules/discounts.md).
  notYet: {
    applyAfterTax: {
      body: z.literal(false, notYet('applyAfterTax')).optional(),
      shown: false,
      answer: z.boolean(),
    },
    targetRules: { body: neverYet('targetRules'), shown: [], answer: z.array(z.unknown()) },
    eligibilityRules: { body: neverYet('eligibilityRules'), shown: [], answer: z.array(z.unknown()) },
    buyXGetY: { body: z.null(notYet('buyXGetY')).optional(), shown: null, answer: z.null() },
    freeShipping: { body: z.null(notYet('freeShipping')).optional(), shown: null, answer: z.null() },
  },
  figures: { usageCount: figure(discountUsageEvents, ({ uses }: DiscountUsageEvent['data']) => uses) },
  searched: ['name', 'code'],
  unique: { code: { kind: 'discount-code', inCase: 'upper' } },
  remains: 'what it took off',
});

/** A rule with its status. */
export type Discount = FieldsOf<typeof discount>;
export type NewDiscount = NewOf<typeof discount>;
export type DiscountRule = Omit<Discount, 'status'>;
export type DiscountEvent = EventOf<(typeof discount)['events']>;
