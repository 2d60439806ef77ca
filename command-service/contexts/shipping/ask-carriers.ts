import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { atMost } from '#kernel/at-most.ts';
import type { CarrierQuestion, CarrierResponse, Rates } from '#command/pricing/carrier-rates.ts';
import { type Clock, isoInstant } from '#kernel/clock.ts';
import { hashedId } from '#kernel/ids.ts';
import type { RatedService, RateRequest, ShippingRateProvider } from '#ports/shipping-rate-provider.ts';
import { pause } from '#runtime/back-off.ts';
import type { Destination } from '#values/address.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import { MAX_AMOUNT } from '#values/money.ts';
import type { QuotableGroup, ShippingApi } from './shipping.commands.ts';

const MOST_SERVICES = 50;
const MOST_DAYS = 365;

const isNumberFrom0To = (value: unknown, most: number): value is number =>
  typeof value === 'number' && value >= 0 && value <= most;

const isService = (given: unknown): given is RatedService => {
  if (typeof given !== 'object' || given === null) return false;
  const { serviceCode, name, cost, transitDays } = given as Partial<Record<keyof RatedService, unknown>>;
  return (
    typeof serviceCode === 'string' &&
    /^[\w.:-]{1,50}$/.test(serviceCode) &&
    typeof name === 'string' &&
    name.length >= 1 &&
    name.length <= 100 &&
    Number.isSafeInteger(cost) &&
    isNumberFrom0To(cost, MAX_AMOUNT) &&
    isNumberFrom0To(transitDays, MOST_DAYS)
  );
};

/**
 * What a carrier has said, as far as it can be charged by. A part that makes no sense makes the whole worth nothing:
 * what else is wrong with it cannot be known. Throws then; a long answer is not read to its end.
 */
export const ratedServices = (answer: unknown): readonly RatedService[] => {
  const { kind, services, reason } = (answer ?? {}) as Readonly<Record<string, unknown>>;
  if (kind === 'unavailable') throw new Error(`unavailable: ${String(reason).slice(0, 200)}`);
  if (kind !== 'quoted' || !Array.isArray(services)) throw new Error('the answer is no quote');
  if (services.length > MOST_SERVICES) throw new Error(`the answer names ${services.length} services`);
  const checked = services.map((given: unknown): RatedService => {
    if (!isService(given)) throw new Error('the answer names a service that makes no sense');
    const { serviceCode, name, cost, transitDays } = given;
    return { serviceCode, name, cost, transitDays };
  });
  if (new Set(checked.map(({ serviceCode }) => serviceCode)).size < checked.length)
    throw new Error('the answer names a service twice');
  return checked;
};

export interface CarrierOptions {
  readonly providers: readonly ShippingRateProvider[];
  readonly clock: Clock;
  readonly settings: () => Pick<StoreSettings, 'shippingQuoteCacheMinutes' | 'storeCurrencyCode'>;
  readonly log: Logger;
  /** How long an answer is waited for, in real time. */
  readonly patienceMs?: number;
  /** How many questions may wait for an answer at a time. */
  readonly mostAtOnce?: number;
}

const PATIENCE_MS = 3000;
const MOST_AT_ONCE = 200;
const KEPT_QUOTES = 10_000;

interface Kept {
  /** By the shop's clock. */
  readonly at: number;
  readonly services: readonly RatedService[];
}

const requestOf = (
  { carrier, ...asked }: CarrierQuestion,
  to: Destination,
  currency: string,
): RateRequest => ({
  origin: asked.origin,
  packages: asked.packages,
  destination: to,
  currency,
  configuration: carrier.configuration,
});

/** A carrier's checked response. Throws when none arrives in time, or none is usable. */
const ask = async (
  provider: ShippingRateProvider,
  request: RateRequest,
  patienceMs: number,
): Promise<readonly RatedService[]> => {
  const over = new AbortController();
  const late = pause(patienceMs, over.signal).then(() => {
    throw new Error(`no answer within ${patienceMs} ms`);
  });
  try {
    const answered = provider.quote(request, over.signal);
    answered.catch(() => undefined);
    return ratedServices(await Promise.race([answered, late]));
  } finally {
    late.catch(() => undefined);
    over.abort();
  }
};

/**
 * Asks carriers for rates (docs/rules/shipping.md#carriers): all questions at once, the same one only once, and not
 * again while its answer is kept. A carrier that fails is an answer like any other.
 */
export const createCarriers = (options: CarrierOptions): ShippingApi => {
  const { clock, settings, log, patienceMs = PATIENCE_MS, mostAtOnce = MOST_AT_ONCE } = options;
  const providers = new Map(options.providers.map((provider) => [provider.key, provider]));
  const kept = new LRUCache<string, Kept>(atMost(KEPT_QUOTES));
  const asking = new Map<string, Promise<Kept>>();

  const askOnce = (key: string, providerKey: string, request: RateRequest): Promise<Kept> => {
    const asked = asking.get(key);
    if (asked) return asked;
    const provider = providers.get(providerKey);
    if (!provider) return Promise.reject(new Error('there is no such carrier'));
    if (asking.size >= mostAtOnce) return Promise.reject(new Error('too many questions wait already'));
    const answer = ask(provider, request, patienceMs)
      .then((services): Kept => {
        const quote = { at: clock.now(), services };
        kept.set(key, quote);
        return quote;
      })
      .finally(() => asking.delete(key));
    asking.set(key, answer);
    return answer;
  };

  const answerTo = async (question: CarrierQuestion, destination: Destination): Promise<CarrierResponse> => {
    const { providerKey } = question.carrier;
    const { storeCurrencyCode, shippingQuoteCacheMinutes } = settings();
    const request = requestOf(question, destination, storeCurrencyCode);
    const key = hashedId(JSON.stringify([providerKey, question.warehouseId, request]));
    try {
      const known = kept.get(key);
      const isFresh = known && clock.now() - known.at < shippingQuoteCacheMinutes * 60_000;
      const { at, services } = isFresh ? known : await askOnce(key, providerKey, request);
      return { providerKey, kind: 'quoted', quotedAt: isoInstant(at), services };
    } catch (error) {
      log.warn({ carrier: providerKey, reason: String(error) }, 'a carrier did not quote');
      return { providerKey, kind: 'failed' };
    }
  };

  const answersFor = async (
    { groupId, questions }: QuotableGroup,
    destination: Destination,
  ): Promise<readonly [string, readonly CarrierResponse[]]> => [
    groupId,
    await Promise.all(questions.map((question) => answerTo(question, destination))),
  ];

  return {
    ratesFor: async (groups, destination): Promise<Rates | null> => {
      const asked = groups.filter(({ questions }) => questions.length > 0);
      if (asked.length === 0) return null;
      return new Map(await Promise.all(asked.map((group) => answersFor(group, destination))));
    },
  };
};
