import { z } from 'zod';
import {
  amount,
  enumOf,
  instant as givenInstant,
  longText,
  name,
  optionalText,
  withinLimit,
} from '#fields/body-fields.ts';
import type { EventOf } from '#events/define-events.ts';
import { discountUsageEvents, type DiscountUsageEvent } from '#events/discount-usage.events.ts';
import { count, instant, minor, text } from '#events/fields.ts';
import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { defined } from '#kernel/defined.ts';
import type { EventOfType } from '#kernel/event.ts';
import { isAmountIn, toDecimal, toMinor } from '#values/money.ts';
import { ruleStatus } from './dated-rule.ts';
import { defineEntity, type FieldsOf, type NewOf } from './define-entity.ts';
import { countOf, figure } from './entity-response.ts';
import {
  buyXGetY,
  buyXGetYResponse,
  eligibilityRule,
  freeShipping,
  freeShippingResponse,
  givenBuyXGetY,
  givenEligibilityRules,
  givenFreeShipping,
  givenTargetRules,
  givenValueType,
  showBuyXGetY,
  showFreeShipping,
  targetRule,
} from './discount-parts.ts';
import { step } from './entity-events.ts';

export const discountCategory = z.enum(['AmountOffProducts', 'BuyXGetY', 'AmountOffOrder', 'FreeShipping']);
/** What is told of a rule whose status changes; events of before did not say it. */
const named = {
  name: text.optional(),
  code: text.nullable().optional(),
  category: discountCategory.optional(),
};
const soldTypes = ['SaleConfirmed', 'InvoiceEdited', 'InvoiceCancelled', 'InvoiceDeleted'] as const;
type SoldData = EventOfType<InvoiceEvent, (typeof soldTypes)[number]>['data'];

const limit = z.int().positive().nullable();
const number = z.number().nullable();

/** A number on the wire as it is stored: in minor units, where it is an amount. An invalid amount is refused later. */
const kept = (value: number, isAmount: boolean, currency: string): number =>
  isAmount && isAmountIn(value, currency) ? toMinor(value, currency) : value;
const wire = (value: number, isAmount: boolean, currency: string): number =>
  isAmount ? toDecimal(value, currency) : value;

interface Typed {
  readonly type: string | undefined;
  readonly value: number | null | undefined;
}

/** A number that is an amount under one type: what a change says of type, number or both is read with the rest. */
const stated = (given: Typed, known: Typed, amountType: string, currency: string) => {
  const { type = known.type } = given;
  if (given.value === null) return null;
  if (given.value !== undefined) return kept(given.value, type === amountType, currency);
  if (given.type === undefined || known.value === undefined || known.value === null) return undefined;
  return kept(wire(known.value, known.type === amountType, currency), type === amountType, currency);
};

/** The sales that a rule has more or less: each once, of a product rule there is a row for each line. */
export const discountsSold = (data: SoldData): ReadonlyMap<string, number> => {
  if ('difference' in data)
    return new Map(
      data.isOfSale ? data.difference.discounts.map(({ discountId, uses }) => [discountId, uses]) : [],
    );
  if ('content' in data) return new Map(data.content.discounts.map(({ discountId }) => [discountId, 1]));
  // Of one that was cancelled before it was deleted, that has been told.
  const closed = 'wasCancelled' in data && data.wasCancelled ? undefined : data.sale?.uses;
  return new Map(closed?.discounts.map(({ discountId }) => [discountId, -1]));
};

/** A discount rule (docs/rules/discounts.md#rules). Money in minor units of the store's currency. */
export const discount = defineEntity({
  category: 'discount',
  context: 'discounts',
  noun: 'discount',
  path: '/discounts',
  list: 'discounts',
  version: 2,
  fields: {
    name: text,
    description: text.nullable(),
    category: discountCategory,
    method: z.enum(['Code', 'Automatic']),
    code: text.nullable(),
    valueType: z.enum(['FixedAmount', 'Percentage', 'Free']),
    /** A percentage for Percentage, minor units for FixedAmount. */
    value: z.number(),
    /** What is taken off is worked out with tax on it. */
    applyAfterTax: z.boolean(),
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
    targetRules: z.array(targetRule),
    eligibilityRules: z.array(eligibilityRule),
    buyXGetY: buyXGetY.nullable(),
    freeShipping: freeShipping.nullable(),
    showInFeed: z.boolean(),
    feedPromotionName: text.nullable(),
    status: ruleStatus,
  },
  recordedAs: 'rule',
  follows: ['status'],
  says: {
    status: z
      .string()
      .refine(
        (given) => given.toLowerCase() === 'draft',
        'must be Draft or nothing: it follows from the dates',
      )
      .transform(() => 'Draft' as const),
  },
  leaves: ['name', 'code'],
  steps: {
    DiscountActivated: step({ status: ruleStatus, ...named }, ({ status }) => ({ status })),
    DiscountDeactivated: step(named, () => ({ status: 'Disabled' as const })),
    DiscountExpired: step(named, () => ({ status: 'Expired' as const })),
  },
  body: (currency) => ({
    name,
    description: longText,
    category: enumOf({ AmountOffProducts: 0, BuyXGetY: 1, AmountOffOrder: 2, FreeShipping: 3 }),
    method: enumOf({ Code: 0, Automatic: 1 }),
    code: z.string().trim().toUpperCase().min(1).max(250).nullable(),
    valueType: givenValueType,
    value: withinLimit(currency),
    applyAfterTax: z.boolean(),
    priority: z.int(),
    startsAt: givenInstant,
    endsAt: givenInstant.nullable(),
    timezone: optionalText,
    totalUsageLimit: limit,
    perCustomerUsageLimit: limit,
    perOrderUsageLimit: limit,
    requirementType: enumOf({ None: 0, MinimumPurchaseAmount: 1, MinimumQuantity: 2 }),
    requirementValue: withinLimit(currency).min(0).nullable(),
    minimumPurchaseAmount: amount(currency).nullable(),
    minimumQuantity: z.int().min(0).nullable(),
    canCombineWithProductDiscounts: z.boolean(),
    canCombineWithOrderDiscounts: z.boolean(),
    canCombineWithShippingDiscounts: z.boolean(),
    targetRules: givenTargetRules,
    eligibilityRules: givenEligibilityRules,
    buyXGetY: givenBuyXGetY(currency).nullable(),
    freeShipping: givenFreeShipping(currency).nullable(),
    showInFeed: z.boolean(),
    feedPromotionName: optionalText,
  }),
  defaults: {
    description: null,
    code: null,
    value: 0,
    applyAfterTax: false,
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
    targetRules: [],
    eligibilityRules: [],
    buyXGetY: null,
    freeShipping: null,
    showInFeed: false,
    feedPromotionName: null,
  },
  begins: (at) => ({ startsAt: at }),
  stored: (given, known, currency) => {
    const value = stated(
      { type: given.valueType, value: given.value },
      { type: known?.valueType, value: known?.value },
      'FixedAmount',
      currency,
    );
    const requirementValue = stated(
      { type: given.requirementType, value: given.requirementValue },
      { type: known?.requirementType, value: known?.requirementValue },
      'MinimumPurchaseAmount',
      currency,
    );
    const { method = known?.method } = given;
    return {
      // Who looks for a code finds rules that are applied by code only.
      ...(method === 'Automatic' && { code: null }),
      ...(typeof value === 'number' && { value }),
      ...defined({ requirementValue }),
    };
  },
  response: {
    name: z.string(),
    description: z.string().nullable(),
    category: z.string(),
    method: z.string(),
    code: z.string().nullable(),
    valueType: z.string(),
    value: z.number(),
    applyAfterTax: z.boolean(),
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
    targetRules: z.array(
      z.object({ targetType: z.string(), targetIds: z.array(z.string()), isExclusion: z.boolean() }),
    ),
    eligibilityRules: z.array(z.object({ eligibilityType: z.string(), ids: z.array(z.string()) })),
    buyXGetY: buyXGetYResponse.nullable(),
    freeShipping: freeShippingResponse.nullable(),
    showInFeed: z.boolean(),
    feedPromotionName: z.string().nullable(),
    status: z.string(),
  },
  show: (rule, currency) => {
    const shown = (sum: number | null): number | null => (sum === null ? null : toDecimal(sum, currency));
    return {
      value: wire(rule.value, rule.valueType === 'FixedAmount', currency),
      requirementValue:
        rule.requirementType === 'MinimumPurchaseAmount'
          ? shown(rule.requirementValue)
          : rule.requirementValue,
      minimumPurchaseAmount: shown(rule.minimumPurchaseAmount),
      buyXGetY: showBuyXGetY(rule.buyXGetY, currency),
      freeShipping: showFreeShipping(rule.freeShipping, currency),
    };
  },
  figures: {
    claimed: figure(discountUsageEvents, ({ uses }: DiscountUsageEvent['data']) => uses),
    sold: countOf(invoiceEvents, soldTypes, discountsSold),
  },
  shows: {
    usageCount: ({ totalUsageLimit, perCustomerUsageLimit }, { claimed = 0, sold = 0 }) =>
      totalUsageLimit === null && perCustomerUsageLimit === null ? sold : claimed,
  },
  searched: ['name', 'code'],
  unique: { code: { kind: 'discount-code', inCase: 'upper' } },
  remains: 'what it took off',
});

/** A rule with its status. */
export type Discount = FieldsOf<typeof discount>;
export type NewDiscount = NewOf<typeof discount>;
export type DiscountRule = Omit<Discount, 'status'>;
export type DiscountEvent = EventOf<(typeof discount)['events']>;
