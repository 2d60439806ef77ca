import { countedAddress, tooManyRequests, type Caller, type RateLimit } from '#http/rate-limit.ts';

/** Of an address: each is a call to a provider. */
const ASKS_PER_MINUTE = 30;

/** Counts a request of which strangers make the shop call a provider. Errors: `too-many-requests`. */
export const countAsk = async (asks: RateLimit, request: Caller): Promise<void> => {
  const taken = await asks.take(countedAddress(request), ASKS_PER_MINUTE);
  if (taken.isTaken) return;
  const seconds = taken.retryAfterSeconds;
  throw tooManyRequests(`Too many attempts. Try again in ${seconds} s.`, seconds);
};
