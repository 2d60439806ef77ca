import { countedAddress, tooManyRequests, type RateLimit } from './rate-limit.ts';
import type { RouteRequest } from './route.ts';

/** From one address, of all links of a kind together. */
const OPENINGS_PER_MINUTE = 10;

/** Counts one who comes by a link that leads to a basket. Errors: Rejection `too-many-requests`. */
export const countOpening = async (openings: RateLimit, request: Pick<RouteRequest, 'ip'>): Promise<void> => {
  const taken = await openings.take(countedAddress(request), OPENINGS_PER_MINUTE);
  if (taken.isTaken) return;
  const { retryAfterSeconds } = taken;
  const message = `Too many attempts. Try again in ${retryAfterSeconds} s.`;
  throw tooManyRequests(message, retryAfterSeconds, { retryAfterSeconds });
};
