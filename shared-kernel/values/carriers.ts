import { providerField, type ProviderField } from './provider-field.ts';

/** A carrier that the shop knows how to ask. */
export interface Carrier {
  readonly key: string;
  readonly displayName: string;
  readonly description: string;
  readonly services: readonly { readonly serviceCode: string; readonly name: string }[];
  readonly fields: readonly ProviderField[];
}

const rate = (key: string, label: string, defaultValue: number) =>
  providerField(key, label, 'number', { defaultValue, range: { from: 0, to: 1_000_000 } });

/** How the built-in carrier may fail on purpose, for trying out what a checkout does then. */
export const parcelFaults = ['none', 'unavailable', 'silent', 'nonsense', 'flood'] as const;

/** The built-in carrier; its formula: docs/guides/setting-up-shipping.md#parcel. */
export const parcel: Carrier = {
  key: 'parcel',
  displayName: 'Parcel',
  description:
    'A carrier that works out its rates itself, by weight, size and distance. It calls no service.',
  services: [
    { serviceCode: 'STANDARD', name: 'Parcel Standard' },
    { serviceCode: 'EXPRESS', name: 'Parcel Express' },
  ],
  fields: [
    rate('baseRate', 'Of a shipment, in the currency of the store', 4),
    rate('ratePerKg', 'Of each kilogram, in the currency of the store', 1.5),
    rate('expressFactor', 'EXPRESS as a multiple of STANDARD', 2),
    rate('internationalFactor', 'Abroad, as a multiple of the domestic price', 2.5),
    providerField('fault', 'Fail on purpose', 'select', { defaultValue: 'none', options: parcelFaults }),
  ],
};

/** Every carrier that there is an adapter for. */
export const carriers: readonly Carrier[] = [parcel];

export const FLAT_RATE = 'flat-rate';

export const carrierOf = (key: string): Carrier | undefined => carriers.find((one) => one.key === key);

/** What a warehouse's `providerConfigs` say of a carrier beside whether it is on there. */
export const warehouseFields: readonly ProviderField[] = [
  rate('markUpPercent', 'Added to every rate, in per cent', 0),
  rate('daysFrom', 'First day of delivery, whatever the carrier says', 0),
  rate('daysTo', 'Last day of delivery, whatever the carrier says', 0),
];
