import { Decimal } from 'decimal.js';
import type {
  RatedPackage,
  RatedService,
  RateOutcome,
  RateRequest,
  ShippingRateProvider,
} from '#ports/shipping-rate-provider.ts';
import { parcel } from '#values/carriers.ts';
import { decimalsOf } from '#values/currency.ts';

/** Cubic centimetres that count as a kilogram. */
const VOLUME_OF_A_KILOGRAM = 5000;
const STEP_KG = 0.5;

const settingsOf = (configuration: RateRequest['configuration']): ((key: string) => Decimal) => {
  const defaults = new Map(parcel.fields.map(({ key, defaultValue }) => [key, defaultValue]));
  return (key) => new Decimal((configuration[key] ?? defaults.get(key) ?? 0) as number);
};

/** The weight or what the volume counts for, whichever is more; half kilograms that have begun count. */
const chargedKg = ({ weightKg, lengthCm, widthCm, heightCm }: RatedPackage): Decimal => {
  const volume =
    lengthCm === null || widthCm === null || heightCm === null
      ? new Decimal(0)
      : new Decimal(lengthCm).times(widthCm).times(heightCm).div(VOLUME_OF_A_KILOGRAM);
  return Decimal.max(Decimal.max(weightKg, volume).div(STEP_KG).ceil(), 1).times(STEP_KG);
};

const servicesFor = ({
  origin,
  destination,
  packages,
  currency,
  configuration,
}: RateRequest): RatedService[] => {
  const setting = settingsOf(configuration);
  const isAbroad = origin.countryCode !== destination.countryCode;
  const kilograms = packages.reduce((sum, one) => sum.plus(chargedKg(one).times(one.count)), new Decimal(0));
  const standard = setting('baseRate')
    .plus(setting('ratePerKg').times(kilograms))
    .times(isAbroad ? setting('internationalFactor') : 1);
  const minor = (amount: Decimal): number =>
    amount
      .times(new Decimal(10).pow(decimalsOf(currency)))
      .toDecimalPlaces(0, Decimal.ROUND_HALF_UP)
      .toNumber();
  const [slow, fast] = parcel.services.map(({ serviceCode, name }) => ({ serviceCode, name }));
  return [
    { ...slow, cost: minor(standard), transitDays: isAbroad ? 5 : 2 },
    { ...fast, cost: minor(standard.times(setting('expressFactor'))), transitDays: isAbroad ? 2 : 1 },
  ] as RatedService[];
};

/** As a broken carrier would answer. */
const failing = async (fault: unknown, request: RateRequest, signal: AbortSignal): Promise<RateOutcome> => {
  switch (fault) {
    case 'unavailable':
      return { kind: 'unavailable', reason: 'it fails on purpose' };
    case 'silent':
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('the caller has gone')), { once: true });
      });
    case 'nonsense':
      return { kind: 'quoted', services: [{ serviceCode: 7, cost: '-1' }] } as unknown as RateOutcome;
    case 'flood': {
      const [service] = servicesFor(request);
      return { kind: 'quoted', services: new Array(1_000_000).fill(service) as RatedService[] };
    }
    default:
      return { kind: 'quoted', services: servicesFor(request) };
  }
};

/**
 * The built-in carrier: the same packages to the same place always cost the same
 * (docs/guides/setting-up-shipping.md#parcel).
 */
export const parcelCarrier = (): ShippingRateProvider => ({
  key: parcel.key,
  quote: (request, signal) => failing(request.configuration['fault'], request, signal),
});
