import { z } from 'zod';
import { expectation } from '#fields/expectation.ts';
import {
  amount,
  country,
  enumOf,
  guid as givenGuid,
  money,
  percentage,
  type CurrencyOf,
} from '#fields/body-fields.ts';
import { guid, minor, text } from '#events/fields.ts';
import { targetTypes, type TargetType } from '#values/discount-targets.ts';
import { toDecimal, toMinor } from '#values/money.ts';

/** The parts of a discount rule that have fields of their own (docs/rules/discounts.md#rules). */

const targetType = z.enum(Object.keys(targetTypes) as [TargetType, ...TargetType[]]);
const eligibilityType = z.enum(['AllCustomers', 'CustomerSegments', 'SpecificCustomers']);
const valueType = z.enum(['FixedAmount', 'Percentage', 'Free']);

/** As events record them. */
export const targetRule = z.object({ targetType, targetIds: z.array(text), isExclusion: z.boolean() });
export const eligibilityRule = z.object({ eligibilityType, ids: z.array(guid) });
export const buyXGetY = z.object({
  buyTriggerType: z.enum(['MinimumQuantity', 'MinimumPurchaseAmount']),
  /** Pieces, or minor units. */
  buyTriggerValue: z.int(),
  buyTargetType: targetType,
  buyTargetIds: z.array(text),
  getQuantity: z.int(),
  getTargetType: targetType,
  getTargetIds: z.array(text),
  getValueType: valueType,
  /** A percentage for Percentage, minor units for FixedAmount. */
  getValue: z.number(),
  selectionMethod: z.enum(['Cheapest', 'MostExpensive']),
});
export const freeShipping = z.object({
  countryScope: z.enum(['AllCountries', 'SelectedCountries', 'ExcludedCountries']),
  countryCodes: z.array(text),
  excludeRatesOverAmount: z.boolean(),
  excludeRatesOverValue: minor.nullable(),
  allowedShippingOptionIds: z.array(guid),
});

export type BuyXGetY = z.output<typeof buyXGetY>;
export type FreeShipping = z.output<typeof freeShipping>;

const MOST_RULES = 50;
const MOST_IDS = 1000;

export const givenValueType = enumOf({ FixedAmount: 0, Percentage: 1, Free: 2 });
const givenTargetType = enumOf(targetTypes);
const named = z.array(z.string().trim().min(1).max(250)).max(MOST_IDS);

/** Whether a target's texts are ids; tags and skus are texts of the shop's own. */
const holdsIds = (type: TargetType): boolean => !['AllProducts', 'Tags', 'Skus'].includes(type);

type Report = (path: readonly (string | number)[], message: string) => void;

/** Checks the ids that a kind of target takes: guids, texts, or none at all. */
const checkedIds = (type: TargetType, given: readonly string[], path: string, report: Report): string[] => {
  if (type === 'AllProducts') return [];
  if (given.length === 0) report([path], `must be given for ${type}`);
  if (!holdsIds(type)) return [...new Set(given)];
  given.forEach((id, index) => {
    if (!givenGuid.safeParse(id).success) report([path, index], 'must be a GUID');
  });
  return [...new Set(given.map((id) => id.toLowerCase()))];
};

export const givenTargetRules = z
  .array(
    z
      .object({
        targetType: givenTargetType,
        targetIds: named.default([]),
        isExclusion: z.boolean().default(false),
      })
      .transform((rule, context) => ({
        ...rule,
        targetIds: checkedIds(rule.targetType, rule.targetIds, 'targetIds', (path, message) =>
          context.addIssue({ code: 'custom', path: [...path], message }),
        ),
      })),
  )
  .max(MOST_RULES);

export const givenEligibilityRules = z
  .array(
    z
      .object({
        eligibilityType: enumOf({ AllCustomers: 0, CustomerSegments: 1, SpecificCustomers: 2 }),
        ids: z.array(givenGuid).max(MOST_IDS).default([]),
      })
      .transform((rule, context) => {
        if (rule.eligibilityType === 'AllCustomers') return { ...rule, ids: [] };
        if (rule.ids.length === 0)
          context.addIssue({
            code: 'custom',
            path: ['ids'],
            message: `must be given for ${rule.eligibilityType}`,
          });
        return { ...rule, ids: [...new Set(rule.ids)] };
      }),
  )
  .max(MOST_RULES);

const pieces = z.int('must be a whole number from 1').min(1, 'must be a whole number from 1');
const nothing = z.number().transform(() => 0);
const positive = (currency: CurrencyOf) =>
  money(currency)
    .positive()
    .transform((value) => toMinor(value, currency()));
type NumberSchema = z.ZodType<number>;

const triggerOf = {
  MinimumQuantity: (): NumberSchema => pieces,
  MinimumPurchaseAmount: (currency: CurrencyOf): NumberSchema => positive(currency),
};
const rewardOf = {
  FixedAmount: (currency: CurrencyOf): NumberSchema => positive(currency),
  Percentage: (): NumberSchema => percentage.positive(),
  Free: (): NumberSchema => nothing,
};

/** Amounts in minor units from here on. */
export const givenBuyXGetY = (currency: CurrencyOf) =>
  z
    .object({
      buyTriggerType: enumOf({ MinimumQuantity: 0, MinimumPurchaseAmount: 1 }),
      buyTriggerValue: z.number(),
      buyTargetType: givenTargetType.default('AllProducts'),
      buyTargetIds: named.default([]),
      getQuantity: pieces,
      getTargetType: givenTargetType.default('AllProducts'),
      getTargetIds: named.default([]),
      getValueType: givenValueType,
      getValue: z.number().default(0),
      selectionMethod: enumOf({ Cheapest: 0, MostExpensive: 1 }).default('Cheapest'),
    })
    .transform((given, context): BuyXGetY => {
      const report: Report = (path, message) =>
        context.addIssue({ code: 'custom', path: [...path], message });
      const read = (name: 'buyTriggerValue' | 'getValue', schema: NumberSchema): number => {
        const { data, error } = schema.safeParse(given[name], { error: expectation });
        if (error) report([name], error.issues[0]?.message ?? 'must be another value');
        return data ?? 0;
      };
      return {
        ...given,
        buyTriggerValue: read('buyTriggerValue', triggerOf[given.buyTriggerType](currency)),
        buyTargetIds: checkedIds(given.buyTargetType, given.buyTargetIds, 'buyTargetIds', report),
        getTargetIds: checkedIds(given.getTargetType, given.getTargetIds, 'getTargetIds', report),
        getValue: read('getValue', rewardOf[given.getValueType](currency)),
      };
    });

export const givenFreeShipping = (currency: CurrencyOf) =>
  z
    .object({
      countryScope: enumOf({ AllCountries: 0, SelectedCountries: 1, ExcludedCountries: 2 }).default(
        'AllCountries',
      ),
      countryCodes: z.array(country).max(MOST_IDS).default([]),
      excludeRatesOverAmount: z.boolean().default(false),
      excludeRatesOverValue: amount(currency).nullable().default(null),
      allowedShippingOptionIds: z
        .array(
          z
            .string()
            .trim()
            .transform((given) => given.replace(/^so:/i, ''))
            .pipe(givenGuid),
        )
        .max(MOST_IDS)
        .transform((ids) => [...new Set(ids)])
        .default([]),
    })
    .transform((given, context): FreeShipping => {
      const report: Report = (path, message) =>
        context.addIssue({ code: 'custom', path: [...path], message });
      if (given.countryScope !== 'AllCountries' && given.countryCodes.length === 0)
        report(['countryCodes'], `must be given for ${given.countryScope}`);
      if (given.excludeRatesOverAmount && given.excludeRatesOverValue === null)
        report(['excludeRatesOverValue'], 'must be the amount above which rates are left out');
      const isEverywhere = given.countryScope === 'AllCountries';
      return { ...given, countryCodes: isEverywhere ? [] : [...new Set(given.countryCodes)] };
    });

/** As callers read them. */
export const buyXGetYResponse = z.object({
  buyTriggerType: z.string(),
  buyTriggerValue: z.number(),
  buyTargetType: z.string(),
  buyTargetIds: z.array(z.string()),
  getQuantity: z.int(),
  getTargetType: z.string(),
  getTargetIds: z.array(z.string()),
  getValueType: z.string(),
  getValue: z.number(),
  selectionMethod: z.string(),
});
export const freeShippingResponse = z.object({
  countryScope: z.string(),
  countryCodes: z.array(z.string()),
  excludeRatesOverAmount: z.boolean(),
  excludeRatesOverValue: z.number().nullable(),
  allowedShippingOptionIds: z.array(z.string()),
});

export const showBuyXGetY = (rule: BuyXGetY | null, currency: string) =>
  rule && {
    ...rule,
    buyTriggerValue:
      rule.buyTriggerType === 'MinimumPurchaseAmount'
        ? toDecimal(rule.buyTriggerValue, currency)
        : rule.buyTriggerValue,
    getValue: rule.getValueType === 'FixedAmount' ? toDecimal(rule.getValue, currency) : rule.getValue,
  };

export const showFreeShipping = (rule: FreeShipping | null, currency: string) =>
  rule && {
    ...rule,
    excludeRatesOverValue:
      rule.excludeRatesOverValue === null ? null : toDecimal(rule.excludeRatesOverValue, currency),
  };
