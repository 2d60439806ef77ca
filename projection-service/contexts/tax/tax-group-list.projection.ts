import type { TaxGroup, TaxGroupEvent } from '#events/catalogue.events.ts';
import { projection, remove } from '#kernel/projection.ts';
import { idOf } from '#values/stream-name.ts';
import { changedEntity, createdEntity, entityIndexes, type EntityDocument } from '../../entity-document.ts';

export type TaxGroupDocument = EntityDocument<TaxGroup>;

/** Tax groups by id. */
export const taxGroupListProjection = projection<TaxGroupEvent>()<TaxGroupDocument>({
  name: 'taxGroups',
  version: 1,
  indexes: entityIndexes,
  keys: (event) => [idOf(event.stream)],
  on: {
    TaxGroupCreated: (_document, { data: { taxGroup, at } }, key) =>
      createdEntity(key, taxGroup, [taxGroup.name], at),
    TaxGroupChanged: (document, { data: { taxGroup, at } }) =>
      changedEntity(document, taxGroup, [taxGroup.name], at),
    TaxGroupDeleted: () => remove,
  },
});
