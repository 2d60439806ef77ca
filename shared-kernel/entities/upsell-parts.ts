import { z } from 'zod';
import { amount, enumOf, guid as givenGuid, type CurrencyOf } from '#fields/body-fields.ts';
import { guid, minor } from '#events/fields.ts';
import { toDecimal } from '#values/money.ts';
import {
  EVERYWHERE,
  locationsNamed,
  namesProducts,
  recommendationTypes,
  triggerTypes,
  type RecommendationType,
  type TriggerType,
} from '#values/upsells.ts';

/** The parts of an upsell rule that have fields of their own (docs/rules/upsells.md#rules). */

const typesOf = <Type extends string>(types: Readonly<Record<Type, number>>) =>
  z.enum(Object.keys(types) as [Type, ...Type[]]);

/** As events record them. */
export const triggerRule = z.object({
  triggerType: typesOf<TriggerType>(triggerTypes),
  triggerIds: z.array(guid),
  /** What a basket is worth, at least or at most. */
  value: minor.nullable(),
  min: minor.nullable(),
  max: minor.nullable(),
  /** Filter groups, or single filters, whose values a recommendation may ask for; none: all. */
  extractFilterIds: z.array(guid),
});
export type UpsellTrigger = z.output<typeof triggerRule>;

export const recommendationRule = z.object({
  recommendationType: typesOf<RecommendationType>(recommendationTypes),
  ids: z.array(guid),
  matchTriggerFilters: z.boolean(),
  /** Of what was extracted, what is asked for; none: all. */
  matchFilterIds: z.array(guid),
});
export type UpsellRecommendation = z.output<typeof recommendationRule>;

const MOST_RULES = 50;
const MOST_IDS = 1000;

const once = (ids: readonly string[]): string[] => [...new Set(ids)];
const givenIds = z.array(givenGuid).max(MOST_IDS);
const filterIds = givenIds.transform(once).default([]);

const locationNames =
  'must be None, All, a sum of Checkout = 1, Basket = 2, ProductPage = 4, Email = 8, Confirmation = 16, or names of these';

const flagsOf = (given: number | string | readonly string[]): number | undefined => {
  if (typeof given === 'number') return given >= 0 && given <= EVERYWHERE ? given : undefined;
  return locationsNamed(typeof given === 'string' ? given : given.join(','));
};

/** A sum, a name, names with commas between them, or a list of names. */
export const givenLocations = z
  .union([z.int(), z.string(), z.array(z.string()).min(1).max(5)], locationNames)
  .transform((given, context): number => {
    const flags = flagsOf(given);
    if (flags !== undefined) return flags;
    context.addIssue({ code: 'custom', message: locationNames });
    return z.NEVER;
  });

type Bound = 'value' | 'min' | 'max';

/** The bounds that a trigger on a basket's worth has. */
const boundsOf = (type: TriggerType): readonly Bound[] => {
  if (namesProducts(type)) return [];
  return type === 'CartValueBetween' ? ['min', 'max'] : ['value'];
};

const givenTrigger = (currency: CurrencyOf) => {
  const bound = amount(currency).nullable().default(null);
  const bounds = { value: bound, min: bound, max: bound };
  return z
    .object({
      triggerType: enumOf(triggerTypes),
      /** Ids; or, of a basket's worth, its bounds, which may as well stand beside it. */
      triggerIds: z.union([givenIds, z.object(bounds)]).default([]),
      ...bounds,
      extractFilterIds: filterIds,
    })
    .transform((given, context): UpsellTrigger => {
      const { triggerType, triggerIds, extractFilterIds } = given;
      const report = (path: string, message: string): void =>
        context.addIssue({ code: 'custom', path: [path], message });
      const within = Array.isArray(triggerIds) ? null : triggerIds;
      const kept: Record<Bound, number | null> = { value: null, min: null, max: null };
      for (const name of boundsOf(triggerType)) {
        kept[name] = given[name] ?? within?.[name] ?? null;
        if (kept[name] === null) report(name, `must be an amount from 0, as ${triggerType} needs it`);
      }
      if (kept.min !== null && kept.max !== null && kept.min > kept.max)
        report('max', 'must not be less than min');
      const ids = Array.isArray(triggerIds) && namesProducts(triggerType) ? once(triggerIds) : [];
      if (namesProducts(triggerType) && ids.length === 0)
        report('triggerIds', `must be given for ${triggerType}`);
      return { triggerType, triggerIds: ids, ...kept, extractFilterIds };
    });
};

export const givenTriggerRules = (currency: CurrencyOf) => z.array(givenTrigger(currency)).max(MOST_RULES);

export const givenRecommendationRules = z
  .array(
    z.object({
      recommendationType: enumOf(recommendationTypes),
      ids: givenIds.min(1, 'must name what to recommend').transform(once),
      matchTriggerFilters: z.boolean().default(false),
      matchFilterIds: filterIds,
    }),
  )
  .max(MOST_RULES);

/** As callers read them. */
export const triggerResponse = z.object({
  triggerType: z.string(),
  triggerIds: z.array(z.string()),
  value: z.number().nullable(),
  min: z.number().nullable(),
  max: z.number().nullable(),
  extractFilterIds: z.array(z.string()),
});
export const recommendationResponse = z.object({
  recommendationType: z.string(),
  ids: z.array(z.string()),
  matchTriggerFilters: z.boolean(),
  matchFilterIds: z.array(z.string()),
});

export const showTriggers = (triggers: readonly UpsellTrigger[], currency: string) => {
  const shown = (sum: number | null): number | null => (sum === null ? null : toDecimal(sum, currency));
  return triggers.map((trigger) => ({
    ...trigger,
    value: shown(trigger.value),
    min: shown(trigger.min),
    max: shown(trigger.max),
  }));
};
