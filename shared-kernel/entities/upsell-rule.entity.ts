import { z } from 'zod';
import { freeForm } from '#fields/free-form.ts';
import { enumOf, instant as givenInstant, longText, name, optionalText } from '#fields/body-fields.ts';
import type { EventOf } from '#events/define-events.ts';
import { instant, text } from '#events/fields.ts';
import { checkoutModes, EVERYWHERE, locationsText, upsellSorts } from '#values/upsells.ts';
import { ruleStatus, ruleStatuses } from './dated-rule.ts';
import { defineEntity, type FieldsOf, type NewOf } from './define-entity.ts';
import { eligibilityRule, givenEligibilityRules } from './discount-parts.ts';
import { step } from './entity-events.ts';
import {
  givenLocations,
  givenRecommendationRules,
  givenTriggerRules,
  recommendationResponse,
  recommendationRule,
  showTriggers,
  triggerResponse,
  triggerRule,
} from './upsell-parts.ts';

const named = { name: text };

/** Element styles of surfaces: the shop hands them on as they are. */
const styles = z.record(z.string().max(250), z.unknown());

const MOST_PRODUCTS = 100;

/** An upsell rule (docs/rules/upsells.md#rules). Money in minor units of the store's currency. */
export const upsellRule = defineEntity({
  category: 'upsellRule',
  context: 'upsells',
  noun: 'upsell rule',
  path: '/upsells',
  list: 'upsells',
  fields: {
    name: text,
    description: text.nullable(),
    heading: text,
    message: text.nullable(),
    priority: z.int(),
    maxProducts: z.int(),
    sortBy: z.enum(Object.keys(upsellSorts) as [keyof typeof upsellSorts]),
    suppressIfInCart: z.boolean(),
    /** The sum of the flags of where it is shown. */
    displayLocation: z.int(),
    checkoutMode: z.enum(Object.keys(checkoutModes) as [keyof typeof checkoutModes]),
    defaultChecked: z.boolean(),
    autoAddToBasket: z.boolean(),
    startsAt: instant,
    endsAt: instant.nullable(),
    timezone: text.nullable(),
    triggerRules: z.array(triggerRule),
    recommendationRules: z.array(recommendationRule),
    eligibilityRules: z.array(eligibilityRule),
    displayStyles: styles.nullable(),
    status: ruleStatus,
  },
  recordedAs: 'rule',
  follows: ['status'],
  says: { status: enumOf(ruleStatuses) },
  leaves: ['name'],
  steps: {
    UpsellRuleActivated: step({ status: ruleStatus, ...named }, ({ status }) => ({ status })),
    UpsellRuleDeactivated: step(named, () => ({ status: 'Disabled' as const })),
    UpsellRuleExpired: step(named, () => ({ status: 'Expired' as const })),
  },
  body: (currency) => ({
    name,
    description: longText,
    heading: name,
    message: longText,
    priority: z.int(),
    maxProducts: z.int().min(1).max(MOST_PRODUCTS),
    sortBy: enumOf(upsellSorts),
    suppressIfInCart: z.boolean(),
    displayLocation: givenLocations,
    checkoutMode: enumOf(checkoutModes),
    defaultChecked: z.boolean(),
    autoAddToBasket: z.boolean(),
    startsAt: givenInstant,
    endsAt: givenInstant.nullable(),
    timezone: optionalText,
    triggerRules: givenTriggerRules(currency),
    recommendationRules: givenRecommendationRules,
    eligibilityRules: givenEligibilityRules,
    displayStyles: freeForm(styles.nullable()),
  }),
  defaults: {
    description: null,
    message: null,
    priority: 1000,
    maxProducts: 4,
    sortBy: 'BestSeller',
    suppressIfInCart: true,
    displayLocation: EVERYWHERE,
    checkoutMode: 'Inline',
    defaultChecked: false,
    autoAddToBasket: false,
    endsAt: null,
    timezone: null,
    triggerRules: [],
    recommendationRules: [],
    eligibilityRules: [],
    displayStyles: null,
  },
  begins: (at) => ({ startsAt: at }),
  response: {
    name: z.string(),
    description: z.string().nullable(),
    heading: z.string(),
    message: z.string().nullable(),
    priority: z.int(),
    maxProducts: z.int(),
    sortBy: z.string(),
    suppressIfInCart: z.boolean(),
    displayLocation: z.string(),
    checkoutMode: z.string(),
    defaultChecked: z.boolean(),
    autoAddToBasket: z.boolean(),
    startsAt: z.string(),
    endsAt: z.string().nullable(),
    timezone: z.string().nullable(),
    triggerRules: z.array(triggerResponse),
    recommendationRules: z.array(recommendationResponse),
    eligibilityRules: z.array(z.object({ eligibilityType: z.string(), ids: z.array(z.string()) })),
    displayStyles: styles.nullable(),
    status: z.string(),
  },
  show: ({ displayLocation, triggerRules }, currency) => ({
    displayLocation: locationsText(displayLocation),
    triggerRules: showTriggers(triggerRules, currency),
  }),
  searched: ['name', 'heading'],
  sorted: ['priority'],
  remains: 'what it has sold',
});

/** A rule with its status. */
export type Upsell = FieldsOf<typeof upsellRule>;
export type NewUpsell = NewOf<typeof upsellRule>;
export type UpsellRule = Omit<Upsell, 'status'>;
export type UpsellRuleEvent = EventOf<(typeof upsellRule)['events']>;
