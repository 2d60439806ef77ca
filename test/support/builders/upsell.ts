import type { UpsellRecommendation, UpsellTrigger } from '#entities/upsell-parts.ts';
import { upsellRule, type Upsell } from '#entities/upsell-rule.entity.ts';
import { streamOf } from '#values/stream-name.ts';
import type { GivenEvent } from '../given.ts';
import { idNamed } from './basket.ts';

const at = '2030-01-01T00:00:00.000Z';

export const triggeredBy = (
  triggerType: UpsellTrigger['triggerType'],
  ids: readonly string[],
  changes: Partial<UpsellTrigger> = {},
): UpsellTrigger => ({
  triggerType,
  triggerIds: ids.map(idNamed),
  value: null,
  min: null,
  max: null,
  extractFilterIds: [],
  ...changes,
});

export const recommends = (
  recommendationType: UpsellRecommendation['recommendationType'],
  ids: readonly string[],
  changes: Partial<UpsellRecommendation> = {},
): UpsellRecommendation => ({
  recommendationType,
  ids: ids.map(idNamed),
  matchTriggerFilters: false,
  matchFilterIds: [],
  ...changes,
});

/** As a body makes it that says no more than it must. */
const plain = upsellRule.createBody(() => 'GBP').parse({ name: 'plain', heading: 'Goes well with it' });

/** A rule that is switched on: whoever buys anything is shown the product "cup", everywhere; but for `changes`. */
export const upsellOf = (name: string, changes: Partial<Upsell> = {}): Upsell => ({
  ...plain,
  name,
  startsAt: at,
  triggerRules: [triggeredBy('MinimumCartValue', [], { value: 0 })],
  recommendationRules: [recommends('SpecificProducts', ['cup'])],
  status: 'Active',
  ...changes,
});

/** The same as it stands in the log. */
export const upsellNamed = (name: string, changes: Partial<Upsell> = {}): GivenEvent => ({
  ...upsellRule.created(upsellOf(name, changes), at),
  stream: streamOf.upsellRule(idNamed(name)),
});
