import type { TaxGroup, TaxGroupEvent } from '#entities/tax-group.entity.ts';
import { idOf } from '#values/stream-name.ts';
import type { TaxReference } from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';

interface RateTable {
  readonly group: TaxGroup;
  /** `US` and `US CA`, upper case, to percent. */
  readonly rates: ReadonlyMap<string, number>;
}

const place = (countryCode: string, regionCode: string | null): string =>
  (regionCode === null ? countryCode : `${countryCode} ${regionCode}`).toUpperCase();

const tableOf = (group: TaxGroup): RateTable => ({
  group,
  rates: new Map(
    group.rates.map(({ countryCode, regionCode, taxPercentage }) => [
      place(countryCode, regionCode),
      taxPercentage,
    ]),
  ),
});

/** Tax groups and their rates (docs/rules/tax.md#rates). */
export const createTaxReference = (): TaxReference & ReferencePart => {
  const groups = new Map<string, RateTable>();
  const put = ({ stream, data }: { stream: string; data: { taxGroup: TaxGroup } }): void =>
    void groups.set(idOf(stream), tableOf(data.taxGroup));
  const on: Fold<TaxGroupEvent> = {
    TaxGroupCreated: put,
    TaxGroupChanged: put,
    TaxGroupDeleted: ({ stream }) => void groups.delete(idOf(stream)),
  };
  return {
    rate: (taxGroupId, { countryCode, regionCode }) => {
      const table = taxGroupId === null || countryCode === '' ? undefined : groups.get(taxGroupId);
      if (!table) return 0;
      const regional = regionCode === null ? undefined : table.rates.get(place(countryCode, regionCode));
      return regional ?? table.rates.get(place(countryCode, null)) ?? table.group.taxPercentage;
    },
    group: (id) => groups.get(id)?.group,
    name: 'tax',
    version: 1,
    on,
    snapshot: (): readonly (readonly [string, TaxGroup])[] =>
      [...groups].map(([id, { group }]) => [id, group] as const),
    restore: (snapshot) => {
      groups.clear();
      for (const [id, group] of snapshot as readonly (readonly [string, TaxGroup])[]) {
        groups.set(id, tableOf(group));
      }
    },
  };
};
