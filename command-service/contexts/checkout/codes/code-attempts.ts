import { HttpRejection } from '#http/errors.ts';
import { countedAddress, tooManyRequests, type Caller, type RateLimits } from '#http/rate-limit.ts';

/** Bounds guesses at discount codes: by basket, and as baskets cost nothing, by address. */
export interface CodeAttempts {
  /**
   * Counts an attempt of a basket, and of an address if there is no such code. Where too many were wrong, a right one
   * is refused as well: else the refusal would tell it. Errors: `discount-not-applicable` (too many of the basket),
   * `too-many-requests` (of the address).
   */
  take(basketId: string, caller: Caller, isKnownCode: boolean): Promise<void>;
}

const refuseAddress = (seconds: number): never => {
  throw tooManyRequests(`Too many attempts. Try again in ${seconds} s.`, seconds);
};

/** `perMinute`: attempts of a basket, and wrong ones of an address. */
export const createCodeAttempts = (limits: RateLimits, perMinute: () => number): CodeAttempts => {
  const byBasket = limits.perWindow('code basket', 60);
  const byAddress = limits.perWindow('code address', 60);
  /** Wrong attempts that are just being counted: a right one that comes behind them must not slip past. */
  const underWay = new Map<string, number>();

  const countWrong = async (key: string, limit: number): Promise<void> => {
    underWay.set(key, (underWay.get(key) ?? 0) + 1);
    try {
      const taken = await byAddress.take(key, limit);
      if (!taken.isTaken) refuseAddress(taken.retryAfterSeconds);
    } finally {
      const left = (underWay.get(key) ?? 1) - 1;
      if (left > 0) underWay.set(key, left);
      else underWay.delete(key);
    }
  };

  const checkRight = async (key: string, limit: number): Promise<void> => {
    const coming = underWay.get(key) ?? 0;
    const { count, endsInSeconds } = await byAddress.look(key);
    if (count + coming >= limit) refuseAddress(endsInSeconds);
  };

  return {
    take: async (basketId, caller, isKnownCode) => {
      const key = countedAddress(caller);
      const [ofAddress, ofBasket] = await Promise.allSettled([
        isKnownCode ? checkRight(key, perMinute()) : countWrong(key, perMinute()),
        byBasket.take(basketId, perMinute()),
      ]);
      if (ofBasket.status === 'rejected') throw ofBasket.reason;
      // Where both are over, the basket's refusal is the one that is told.
      if (!ofBasket.value.isTaken) {
        const message = 'Too many attempts. Wait a minute and try again.';
        const headers = { 'Retry-After': String(ofBasket.value.retryAfterSeconds) };
        throw new HttpRejection('discount-not-applicable', message, headers);
      }
      if (ofAddress.status === 'rejected') throw ofAddress.reason;
    },
  };
};
