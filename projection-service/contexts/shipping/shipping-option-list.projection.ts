import type { ShippingOption, ShippingOptionEvent } from '#events/shipping.events.ts';
import { projection, remove } from '#kernel/projection.ts';
import { idOf } from '#values/stream-name.ts';
import { changedEntity, createdEntity, entityIndexes, type EntityDocument } from '../../entity-document.ts';

export type ShippingOptionDocument = EntityDocument<ShippingOption>;

/** Shipping options by id. */
export const shippingOptionListProjection = projection<ShippingOptionEvent>()<ShippingOptionDocument>({
  name: 'shippingOptions',
  version: 1,
  indexes: entityIndexes,
  keys: (event) => [idOf(event.stream)],
  on: {
    ShippingOptionCreated: (_document, { data: { shippingOption, at } }, key) =>
      createdEntity(key, shippingOption, [shippingOption.name], at),
    ShippingOptionChanged: (document, { data: { shippingOption, at } }) =>
      changedEntity(document, shippingOption, [shippingOption.name], at),
    ShippingOptionDeleted: () => remove,
  },
});
