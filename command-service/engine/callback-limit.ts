import { countedAddress, tooManyRequests, type RateLimit } from '#http/rate-limit.ts';
import type { RouteRequest } from '#http/route.ts';

export interface CallbackLimit {
  /** A window of a minute on the shop's clock. */
  readonly limit: RateLimit;
  /** Of a provider and an address; 0: none. */
  readonly perMinute: number;
}

/** Counted before anything else is looked at (docs/rules/payment-callbacks.md#limits). */
export const checkCallbackLimit = async (
  { limit, perMinute }: CallbackLimit,
  provider: string,
  request: RouteRequest,
): Promise<void> => {
  if (perMinute === 0 || request.ip === '') return;
  const taken = await limit.take(`${provider} ${countedAddress(request)}`, perMinute);
  if (!taken.isTaken) throw tooManyRequests('Too many requests.', taken.retryAfterSeconds);
};
