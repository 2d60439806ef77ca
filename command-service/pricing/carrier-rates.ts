import type { RatedPackage, RatedService } from '#ports/shipping-rate-provider.ts';
import type { ReferenceCarrier, ReferenceShippingOption } from '#reference/reference.ts';
import type { Destination } from '#values/address.ts';
import { carrierOf } from '#values/carriers.ts';
import { withPercent } from '#values/money.ts';
import { deliveryDescription, optionKeyOf, type QuotedOption } from './quote-shipping.ts';

/** What a carrier is to be asked about a group of goods. */
export interface CarrierQuestion {
  readonly warehouseId: string;
  readonly carrier: ReferenceCarrier;
  readonly origin: Destination;
  readonly packages: readonly RatedPackage[];
}

/** What it has said; `failed`: nothing of use, or nothing in time. */
export type CarrierResponse = { readonly providerKey: string } & (
  | { readonly kind: 'quoted'; readonly quotedAt: string; readonly services: readonly RatedService[] }
  | { readonly kind: 'failed' }
);

/** What carriers have said, by group. A group that is not there has not been asked about. */
export type Rates = ReadonlyMap<string, readonly CarrierResponse[]>;

/** A carrier's quote holds for so long (docs/rules/shipping.md#carriers). */
const VALID_MS = 30 * 60_000;

export const isQuoteValid = (quotedAt: string, now: string): boolean =>
  Date.parse(now) - Date.parse(quotedAt) <= VALID_MS;

/** The rate of a service with what its warehouse adds. */
const markedUp = ({ cost }: RatedService, { markUpPercent }: ReferenceCarrier): number =>
  markUpPercent === 0 ? cost : withPercent(cost, markUpPercent);

const serviceOption = (
  { providerKey, daysFrom, daysTo, ...carrier }: ReferenceCarrier,
  service: RatedService,
  quotedAt: string,
): QuotedOption => {
  const first = daysFrom ?? Math.min(Math.ceil(service.transitDays), daysTo ?? Infinity);
  const days = { daysFrom: first, daysTo: Math.max(daysTo ?? first + 1, first), isNextDay: first <= 1 };
  return {
    optionKey: `dyn:${providerKey}:${service.serviceCode}`,
    shippingOptionId: null,
    name: service.name,
    providerKey,
    serviceCode: service.serviceCode,
    cost: markedUp(service, { providerKey, daysFrom, daysTo, ...carrier }),
    ...days,
    nextDayCutOffTime: null,
    deliveryDescription: deliveryDescription(days),
    allowsDeliveryDateSelection: false,
    minDeliveryDays: null,
    maxDeliveryDays: null,
    allowedDaysOfWeek: null,
    isDeliveryDateGuaranteed: false,
    quotedAt,
    fallbackReason: null,
  };
};

const apology = (providerKey: string): string =>
  `The rates of ${carrierOf(providerKey)?.displayName ?? providerKey} are not available at the moment.`;

/**
 * An option that the shop keeps for a carrier's service: at the carrier's rate; at its own cost while the carrier
 * fails, or is not asked. Null: the carrier does not offer the service, or there is no price.
 */
const keptOption = (
  option: QuotedOption | null,
  { id, providerKey, serviceType }: ReferenceShippingOption,
  carriers: readonly ReferenceCarrier[],
  answers: readonly CarrierResponse[],
  offered: QuotedOption,
): QuotedOption | null => {
  const carrier = carriers.find((one) => one.providerKey === providerKey);
  const answer = answers.find((one) => one.providerKey === providerKey);
  if (answer?.kind !== 'quoted' || !carrier)
    return option && answer ? { ...option, fallbackReason: apology(providerKey) } : option;
  const service = answer.services.find(({ serviceCode }) => serviceCode === serviceType);
  if (!service) return null;
  const cost = markedUp(service, carrier);
  return {
    ...offered,
    optionKey: optionKeyOf(id),
    cost,
    serviceCode: serviceType,
    quotedAt: answer.quotedAt,
  };
};

export interface GroupWays {
  readonly options: readonly QuotedOption[];
  /** What is wrong with a carrier, for people. */
  readonly rateError: string | null;
}

/** A way that the shop keeps itself, as it is quoted without a carrier; null where it has no price of its own. */
export interface ShopShippingOption {
  readonly record: ReferenceShippingOption;
  readonly offered: QuotedOption;
  readonly own: QuotedOption | null;
}

/**
 * The ways a group can travel: the shop's own, then the carrier services without an option of their own
 * (docs/rules/shipping.md#carriers). `kept`: every option of the warehouse, including restricted ones.
 */
export const waysOf = (
  ways: readonly ShopShippingOption[],
  kept: readonly ReferenceShippingOption[],
  carriers: readonly ReferenceCarrier[],
  answers: readonly CarrierResponse[] = [],
): GroupWays => {
  const own = ways.map(({ record, offered, own: quoted }) =>
    keptOption(quoted, record, carriers, answers, offered),
  );
  const isKept = (providerKey: string, code: string): boolean =>
    kept.some((option) => option.providerKey === providerKey && option.serviceType === code);
  const services = carriers.flatMap((carrier) => {
    const { providerKey } = carrier;
    const answer = answers.find((one) => one.providerKey === providerKey);
    if (answer?.kind !== 'quoted') return [];
    return answer.services
      .filter(({ serviceCode }) => !isKept(providerKey, serviceCode))
      .map((service) => serviceOption(carrier, service, answer.quotedAt));
  });
  const failed = answers.find(({ kind }) => kind === 'failed');
  return {
    options: [...own.filter((option) => option !== null), ...services],
    rateError: failed ? apology(failed.providerKey) : null,
  };
};
