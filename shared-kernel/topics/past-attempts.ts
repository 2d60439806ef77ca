import type { Delivery, PastAttempt } from './webhook-delivery.ts';

/** So many a delivery remembers. */
export const keptAttempts = 50;

type Tried = Pick<
  Delivery,
  'status' | 'attemptNumber' | 'dateSent' | 'responseStatusCode' | 'durationMs' | 'errorMessage' | 'failures'
>;

/** With the failure of the attempt under way. A delivery that arrives at once stores no list at all. */
export const withFailure = (
  { attemptNumber, dateSent, failures = [] }: Pick<Delivery, 'attemptNumber' | 'dateSent' | 'failures'>,
  failure: Pick<PastAttempt, 'responseStatusCode' | 'durationMs' | 'errorMessage'>,
): readonly PastAttempt[] => [...failures, { attemptNumber, dateSent, ...failure }].slice(-keptAttempts);

/** What the row itself says of its last attempt; null when that is not over, or stands among the failures. */
const lastOf = (delivery: Tried): PastAttempt | null => {
  const { status, attemptNumber, dateSent, responseStatusCode, durationMs, errorMessage } = delivery;
  const isOver = attemptNumber > 0 && status !== 'Pending' && status !== 'Sending';
  if (!isOver || delivery.failures?.at(-1)?.attemptNumber === attemptNumber) return null;
  return { attemptNumber, dateSent, responseStatusCode, durationMs, errorMessage };
};

/** The attempts of a delivery that are over, newest first (docs/rules/webhooks.md#log-of-deliveries). */
export const attemptsOf = (delivery: Tried): readonly PastAttempt[] => {
  const last = lastOf(delivery);
  const all = [...(delivery.failures ?? []), ...(last ? [last] : [])];
  return all.toReversed().slice(0, keptAttempts);
};
