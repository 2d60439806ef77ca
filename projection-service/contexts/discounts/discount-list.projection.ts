import type { DiscountEvent, DiscountRule, DiscountUsageEvent } from '#events/discount.events.ts';
import type { Recorded } from '#kernel/event.ts';
import { projection, remove } from '#kernel/projection.ts';
import { idOf } from '#values/stream-name.ts';
import { createdEntity, entityIndexes, searchTextOf, type EntityDocument } from '../../entity-document.ts';

type DiscountStatus = Extract<DiscountEvent, { readonly type: 'DiscountCreated' }>['data']['status'];

export interface DiscountDocument extends EntityDocument<DiscountRule> {
  /** As it was last set: whether a rule is scheduled, runs or has expired is told by its dates. */
  readonly status: DiscountStatus;
  readonly usageCount: number;
}

const used = (
  document: DiscountDocument | null,
  event: Recorded<DiscountUsageEvent>,
): DiscountDocument | null => document && { ...document, usageCount: event.data.uses };

/** Discount rules by id, with the number of their uses. */
export const discountListProjection = projection<DiscountEvent | DiscountUsageEvent>()<DiscountDocument>({
  name: 'discounts',
  version: 1,
  indexes: entityIndexes,
  keys: (event) => [idOf(event.stream)],
  on: {
    DiscountCreated: (_document, { data: { rule, status, at } }, key) => ({
      ...createdEntity(key, rule, [rule.name, rule.code], at),
      status,
      usageCount: 0,
    }),
    DiscountChanged: (document, { data: { rule, status, at } }) =>
      document && {
        ...document,
        fields: rule,
        status,
        dateUpdated: at,
        searchText: searchTextOf([rule.name, rule.code]),
      },
    DiscountActivated: (document, { data: { status, at } }) =>
      document && { ...document, status, dateUpdated: at },
    DiscountDeactivated: (document, { data: { at } }) =>
      document && { ...document, status: 'Disabled', dateUpdated: at },
    DiscountDeleted: () => remove,
    DiscountUseClaimed: used,
    DiscountUseReleased: used,
  },
});
