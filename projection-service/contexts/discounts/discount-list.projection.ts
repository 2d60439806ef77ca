import type { Discount, DiscountEvent, DiscountUsageEvent } from '#events/discount.events.ts';
import type { Recorded } from '#kernel/event.ts';
import { projection, remove } from '#kernel/projection.ts';
import { idOf } from '#values/stream-name.ts';
import { changedEntity, createdEntity, entityIndexes, type EntityDocument } from '../../entity-document.ts';

/** The status is as it was last set: whether a rule has begun or expired by now its dates tell. */
export interface DiscountDocument extends EntityDocument<Discount> {
  readonly usageCount: number;
}

const changed = (document: DiscountDocument | null, fields: Discount, at: string): DiscountDocument | null =>
  changedEntity(document, fields, [fields.name, fields.code], at);

const switched = (
  document: DiscountDocument | null,
  status: Discount['status'],
  at: string,
): DiscountDocument | null => document && changed(document, { ...document.fields, status }, at);

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
      ...createdEntity(key, { ...rule, status }, [rule.name, rule.code], at),
      usageCount: 0,
    }),
    DiscountChanged: (document, { data: { rule, status, at } }) => changed(document, { ...rule, status }, at),
    DiscountActivated: (document, { data: { status, at } }) => switched(document, status, at),
    DiscountDeactivated: (document, { data: { at } }) => switched(document, 'Disabled', at),
    DiscountDeleted: () => remove,
    DiscountUseClaimed: used,
    DiscountUseReleased: used,
  },
});
