import type { OrderFold } from './order-fold.ts';
import { withNote } from './order-money.ts';

/** What people read of those who send the orders of an invoice. */
export const fulfilmentNotes: OrderFold = {
  FulfilmentSubmitted: (document, { data: { providerKey, reference, submittedAt } }) =>
    document && withNote(document, submittedAt, `Submitted to ${providerKey} as ${reference}`),
  FulfilmentAttemptFailed: (document, { data: { providerKey, message, retryCount, isFinal, failedAt } }) =>
    document &&
    withNote(
      document,
      failedAt,
      isFinal
        ? `Not submitted to ${providerKey}, and given up: ${message ?? '-'}`
        : `Not submitted to ${providerKey} (try ${retryCount}): ${message ?? '-'}`,
    ),
  FulfilmentCancellationEnded: (document, { data: { providerKey, isCancelled, message, endedAt } }) =>
    document &&
    withNote(
      document,
      endedAt,
      isCancelled
        ? `Cancelled at ${providerKey}, too`
        : `${providerKey} could not be told that the order is cancelled: ${message ?? 'nobody knows why'}`,
    ),
};
