import type { CancellationOutcome, SubmissionOutcome } from '#ports/fulfilment-provider.ts';
import type { SubmissionSource } from '#reference/chosen-provider.ts';
import type { ProviderWord } from './fulfilments.state.ts';

/**
 * Records that a provider is about to be asked to send an order; no effect if that is not due. When staff ask, it is
 * refused instead.
 */
export interface BeginSubmission {
  readonly type: 'BeginSubmission';
  readonly orderId: string;
  readonly source: SubmissionSource;
}

/** How often a provider is asked, and the pauses between; the last pause repeats. */
export interface RetryRules {
  readonly maxAttempts: number;
  readonly delaysMinutes: readonly number[];
}

/** Records the provider's answer. */
export interface RecordSubmission {
  readonly type: 'RecordSubmission';
  readonly orderId: string;
  readonly retries: RetryRules;
  readonly outcome: SubmissionOutcome;
}

/** Records a provider status that the order cannot follow. */
export interface NoteProviderStatus {
  readonly type: 'NoteProviderStatus';
  readonly orderId: string;
  readonly said: ProviderWord;
}

/** Adds a note for staff, once. */
export interface NoteFulfilment {
  readonly type: 'NoteFulfilment';
  readonly noteId: string;
  readonly text: string;
  readonly author: string;
}

/** Records how telling the provider of a cancellation went. */
export interface RecordCancellation {
  readonly type: 'RecordCancellation';
  readonly orderId: string;
  readonly outcome: CancellationOutcome;
}

/** Stops polling a provider that has been silent for too long. */
export interface EndWatch {
  readonly type: 'EndWatch';
  readonly orderId: string;
}

export type FulfilmentCommand =
  | BeginSubmission
  | RecordSubmission
  | NoteProviderStatus
  | NoteFulfilment
  | RecordCancellation
  | EndWatch;
