import { HttpRejection } from '#http/errors.ts';
import { countedAddress, tooManyRequests, type Caller, type RateLimits } from '#http/rate-limit.ts';

/** An attempt that may be made. */
export interface CodeAttempt {
  /** The code is good: nobody guessed. */
  succeeded(): Promise<void>;
}

/** Bounds guesses at discount codes: by basket, and as baskets cost nothing, by address. */
export interface CodeAttempts {
  /** Errors: `discount-not-applicable` (too many of the basket), `too-many-requests` (of the address). */
  take(basketId: string, caller: Caller): Promise<CodeAttempt>;
}

/** `perMinute`: attempts of a basket, and wrong ones of an address. */
export const createCodeAttempts = (limits: RateLimits, perMinute: () => number): CodeAttempts => {
  const byBasket = limits.perWindow('code basket', 60);
  const byAddress = limits.perWindow('code address', 60);
  return {
    take: async (basketId, caller) => {
      const { key, limit } = countedAddress(caller, perMinute());
      const atAddress = await byAddress.take(key, limit);
      if (!atAddress.isTaken) {
        const seconds = atAddress.retryAfterSeconds;
        throw tooManyRequests(`Too many attempts. Try again in ${seconds} s.`, seconds);
      }
      const succeeded = (): Promise<void> => byAddress.giveBack(key);
      const ofBasket = await byBasket.take(basketId, perMinute());
      if (ofBasket.isTaken) return { succeeded };
      // Nothing was told of the code.
      await byAddress.giveBack(key);
      const message = 'Too many attempts. Wait a minute and try again.';
      const headers = { 'Retry-After': String(ofBasket.retryAfterSeconds) };
      throw new HttpRejection('discount-not-applicable', message, headers);
    },
  };
};
