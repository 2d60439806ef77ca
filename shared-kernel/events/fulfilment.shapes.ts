import { z } from 'zod';
import { personal } from './define-events.ts';
import { count, guid, instant, text } from './fields.ts';

const provider = {
  orderId: guid,
  configurationId: guid,
  providerKey: text,
};

/** How many orders of the invoice a provider is being asked to send at the moment. */
const openSubmissions = count;

/** Orders that a fulfilment provider sends, in the stream of their invoice (docs/rules/fulfilment.md#submission). */
export const fulfilmentShapes = {
  /** Recorded before a provider is asked to send an order. The key is the same however often it is asked. */
  FulfilmentSubmissionAttempted: {
    ...provider,
    key: guid,
    source: z.enum(['PaymentCreated', 'ExplicitRelease']),
    askedAt: instant,
  },
  FulfilmentSubmitted: {
    ...provider,
    /** As the provider calls the order. */
    reference: text,
    /** Of provider and reference: by it the order is found. */
    referenceId: guid,
    providerStatus: text.nullable(),
    submittedAt: instant,
    openSubmissions,
  },
  /** `nextAt`: when it is tried again; null where it is not. */
  FulfilmentAttemptFailed: {
    ...provider,
    /** In the provider's own words, which may name the customer; so with every message of theirs. */
    message: personal(text),
    retryCount: count,
    nextAt: instant.nullable(),
    isFinal: z.boolean(),
    failedAt: instant,
    openSubmissions,
  },
  /** What the provider says of an order, in its own word and as a status of ours. */
  FulfilmentStatusNoted: {
    ...provider,
    providerStatus: text,
    mappedStatus: text,
    statusDate: instant.nullable(),
    errorMessage: personal(text),
    notedAt: instant,
  },
  /** The provider has been told that a submitted order is cancelled, or could not be. */
  FulfilmentCancellationEnded: {
    ...provider,
    isCancelled: z.boolean(),
    message: personal(text),
    endedAt: instant,
  },
  /** The provider is no longer asked about the order: it has said nothing new for too long. */
  FulfilmentWatchEnded: { ...provider, endedAt: instant },
};
