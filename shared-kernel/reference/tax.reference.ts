import type {
  ShippingTaxOverride,
  ShippingTaxOverrideEvent,
} from '#entities/shipping-tax-override.entity.ts';
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

interface TaxSnapshot {
  readonly groups: readonly (readonly [id: string, group: TaxGroup])[];
  readonly overrides: readonly (readonly [id: string, override: ShippingTaxOverride])[];
}

/** Tax groups and their rates, and where shipping is taxed otherwise (docs/rules/tax.md#rates). */
export const createTaxReference = (): TaxReference & ReferencePart => {
  const groups = new Map<string, RateTable>();
  const put = ({ stream, data }: { stream: string; data: { taxGroup: TaxGroup } }): void =>
    void groups.set(idOf(stream), tableOf(data.taxGroup));
  const overrides = new Map<string, ShippingTaxOverride>();
  const byPlace = new Map<string, ShippingTaxOverride>();
  const lift = (id: string): void => {
    const known = overrides.get(id);
    if (known) byPlace.delete(place(known.countryCode, known.regionCode));
    overrides.delete(id);
  };
  const lay = (id: string, override: ShippingTaxOverride): void => {
    lift(id);
    overrides.set(id, override);
    byPlace.set(place(override.countryCode, override.regionCode), override);
  };
  type OverrideData = { stream: string; data: { shippingTaxOverride: ShippingTaxOverride } };
  const putOverride = ({ stream, data }: OverrideData): void => lay(idOf(stream), data.shippingTaxOverride);
  const on: Fold<TaxGroupEvent | ShippingTaxOverrideEvent> = {
    TaxGroupCreated: put,
    TaxGroupChanged: put,
    TaxGroupDeleted: ({ stream }) => void groups.delete(idOf(stream)),
    ShippingTaxOverrideCreated: putOverride,
    ShippingTaxOverrideChanged: putOverride,
    ShippingTaxOverrideDeleted: ({ stream }) => lift(idOf(stream)),
  };
  return {
    rate: (taxGroupId, { countryCode, regionCode }) => {
      const table = taxGroupId === null || countryCode === '' ? undefined : groups.get(taxGroupId);
      if (!table) return 0;
      const regional = regionCode === null ? undefined : table.rates.get(place(countryCode, regionCode));
      return regional ?? table.rates.get(place(countryCode, null)) ?? table.group.taxPercentage;
    },
    shippingOverride: ({ countryCode, regionCode }) => {
      const regional = regionCode === null ? undefined : byPlace.get(place(countryCode, regionCode));
      return regional ?? byPlace.get(place(countryCode, null));
    },
    group: (id) => groups.get(id)?.group,
    name: 'tax',
    version: 2,
    on,
    snapshot: (): TaxSnapshot => ({
      groups: [...groups].map(([id, { group }]) => [id, group] as const),
      overrides: [...overrides],
    }),
    restore: (snapshot) => {
      const kept = snapshot as TaxSnapshot;
      groups.clear();
      overrides.clear();
      byPlace.clear();
      for (const [id, group] of kept.groups) groups.set(id, tableOf(group));
      for (const [id, override] of kept.overrides) lay(id, override);
    },
  };
};
