import { isoInstant } from '#kernel/clock.ts';
import type { SendOutcome } from '#ports/sender.ts';
import { failureMessage } from './delivery-outcome.ts';
import { heldBy, requeue, type Transition } from './delivery-steps.ts';
import { withFailure } from './past-attempts.ts';
import type { HttpDelivery } from './webhook-delivery.ts';

/* What an attempt over HTTP makes of its row, be it a webhook or a notice to an agent. */

type Tried = Pick<HttpDelivery, '_id' | 'attemptNumber' | 'dateSent' | 'attempts'>;

/** Nothing of its end was seen. */
const unfinished = { responseStatusCode: null, durationMs: null };

/** What the receiver answered. */
export const answered = ({
  statusCode,
  headers,
  body,
  durationMs,
}: SendOutcome): Pick<
  HttpDelivery,
  'responseStatusCode' | 'responseHeaders' | 'responseBody' | 'durationMs'
> => ({
  responseStatusCode: statusCode,
  responseHeaders: headers,
  responseBody: body,
  durationMs: Math.round(durationMs),
});

/** What an attempt that failed leaves, whether or not another follows. */
export const failed = (row: Tried, outcome: SendOutcome) => {
  const errorMessage = failureMessage(outcome);
  const { statusCode: responseStatusCode, durationMs } = outcome;
  const failure = { responseStatusCode, durationMs: Math.round(durationMs), errorMessage };
  return { errorMessage, attempts: withFailure(row, failure) };
};

/** For what can no longer be sent, or must not be. */
export const abandon = (row: Tried, errorMessage: string, now: number): Transition => {
  const attempts = withFailure(row, { ...unfinished, errorMessage });
  const dateCompleted = isoInstant(now);
  return {
    when: heldBy(row),
    patch: { set: { status: 'Abandoned', dateCompleted, errorMessage, attempts } },
  };
};

/** An attempt that will not finish: its row waits again. */
export const interrupt = (row: Tried, now: number): Transition => {
  const { when, patch } = requeue(row, now);
  const attempts = withFailure(row, { ...unfinished, errorMessage: 'Interrupted' });
  return { when, patch: { set: { ...patch.set, attempts } } };
};
