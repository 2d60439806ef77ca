import type { RatedService } from '#ports/shipping-rate-provider.ts';
import { MAX_AMOUNT } from '#values/money.ts';

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
