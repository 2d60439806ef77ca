import { taxGroupEvents, type TaxGroup, type TaxGroupEvent } from '#events/catalogue.events.ts';
import { entityDecider } from '#kernel/entity.ts';

const { TaxGroupChanged, TaxGroupCreated, TaxGroupDeleted } = taxGroupEvents.create;

export const taxGroupDecider = entityDecider<TaxGroup, TaxGroupEvent>({
  category: 'taxGroup',
  noun: 'tax group',
  created: (taxGroup, at) => TaxGroupCreated({ taxGroup, at }),
  changed: (taxGroup, at) => TaxGroupChanged({ taxGroup, at }),
  deleted: () => TaxGroupDeleted({}),
  told: ({ type, data }) => (type === 'TaxGroupDeleted' ? null : { fields: data.taxGroup, at: data.at }),
});
