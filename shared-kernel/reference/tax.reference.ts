import type {
  ShippingTaxOverride,
  ShippingTaxOverrideEvent,
} from '#entities/shipping-tax-override.entity.ts';
import type { TaxGroup, TaxGroupEvent } from '#entities/tax-group.entity.ts';
import type { Destination } from '#values/address.ts';
import { idOf } from '#values/stream-name.ts';
import type { TaxReference } from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';
import { ChunkedEntries } from './chunked-entries.ts';

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

/** Where shipping is taxed otherwise, by place. */
const createOverrides = () => {
  const overrides = new Map<string, ShippingTaxOverride>();
  const byPlace = new Map<string, ShippingTaxOverride>();
  const lift = (id: string): void => {
    const known = overrides.get(id);
    if (known) byPlace.delete(place(known.countryCode, known.regionCode));
    overrides.delete(id);
  };
  return {
    lift,
    lay: (id: string, override: ShippingTaxOverride): void => {
      lift(id);
      overrides.set(id, override);
      byPlace.set(place(override.countryCode, override.regionCode), override);
    },
    at: ({ countryCode, regionCode }: Destination): ShippingTaxOverride | undefined => {
      const regional = regionCode === null ? undefined : byPlace.get(place(countryCode, regionCode));
      return regional ?? byPlace.get(place(countryCode, null));
    },
    clear: (): void => {
      overrides.clear();
      byPlace.clear();
    },
  };
};

/** Tax groups and their rates, and where shipping is taxed otherwise (docs/rules/tax.md#rates). */
export const createTaxReference = (): TaxReference & ReferencePart => {
  const entries = new ChunkedEntries<TaxGroup | ShippingTaxOverride>();
  const groups = new Map<string, RateTable>();
  const overrides = createOverrides();
  const putGroup = (id: string, group: TaxGroup): void => {
    entries.set(id, group);
    groups.set(id, tableOf(group));
  };
  const removeGroup = (id: string): void => {
    entries.delete(id);
    groups.delete(id);
  };
  const lift = (id: string): void => {
    entries.delete(id);
    overrides.lift(id);
  };
  const lay = (id: string, override: ShippingTaxOverride): void => {
    entries.set(id, override);
    overrides.lay(id, override);
  };
  const put = ({ stream, data }: { stream: string; data: { taxGroup: TaxGroup } }): void =>
    putGroup(idOf(stream), data.taxGroup);
  type OverrideData = { stream: string; data: { shippingTaxOverride: ShippingTaxOverride } };
  const putOverride = ({ stream, data }: OverrideData): void => lay(idOf(stream), data.shippingTaxOverride);
  const on: Fold<TaxGroupEvent | ShippingTaxOverrideEvent> = {
    TaxGroupCreated: put,
    TaxGroupChanged: put,
    TaxGroupDeleted: ({ stream }) => removeGroup(idOf(stream)),
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
    shippingOverride: overrides.at,
    group: (id) => groups.get(id)?.group,
    name: 'tax',
    version: 2,
    on,
    entries,
    restore: (kept) => {
      for (const [id, one] of kept as readonly (readonly [string, TaxGroup | ShippingTaxOverride])[]) {
        if ('rates' in one) putGroup(id, one);
        else lay(id, one);
      }
    },
    clear: () => {
      groups.clear();
      overrides.clear();
    },
  };
};
