import type { HttpDelivery, PastAttempt } from './webhook-delivery.ts';

/** So many a delivery remembers. */
export const keptAttempts = 50;

type Tried = Pick<
  HttpDelivery,
  'status' | 'attemptNumber' | 'dateSent' | 'responseStatusCode' | 'durationMs' | 'errorMessage' | 'attempts'
>;

/** With the attempt under way, which ends without success. A delivery that arrives at once stores no list at all. */
export const withFailure = (
  { attemptNumber, dateSent, attempts = [] }: Pick<HttpDelivery, 'attemptNumber' | 'dateSent' | 'attempts'>,
  failure: Pick<PastAttempt, 'responseStatusCode' | 'durationMs' | 'errorMessage'>,
): readonly PastAttempt[] => [...attempts, { attemptNumber, dateSent, ...failure }].slice(-keptAttempts);

/** What the row itself says of its last attempt; null when that is not over, or stands in the list. */
const lastOf = (delivery: Tried): PastAttempt | null => {
  const { status, attemptNumber, dateSent, responseStatusCode, durationMs, errorMessage } = delivery;
  const isOver = attemptNumber > 0 && status !== 'Pending' && status !== 'Sending';
  if (!isOver || delivery.attempts?.at(-1)?.attemptNumber === attemptNumber) return null;
  return { attemptNumber, dateSent, responseStatusCode, durationMs, errorMessage };
};

/** The attempts of a delivery that are over, oldest first: what stays of them when it is to be sent again. */
export const attemptsSoFar = (delivery: Tried): readonly PastAttempt[] => {
  const last = lastOf(delivery);
  return [...(delivery.attempts ?? []), ...(last ? [last] : [])].slice(-keptAttempts);
};

/** The same, newest first (docs/rules/webhooks.md#log-of-deliveries). */
export const attemptsOf = (delivery: Tried): readonly PastAttempt[] => attemptsSoFar(delivery).toReversed();
