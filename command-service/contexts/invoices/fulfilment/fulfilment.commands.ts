import type { CancellationOutcome, SubmissionOutcome } from '#ports/fulfilment-provider.ts';
import type { SubmissionSource } from '#reference/chosen-provider.ts';
import type { ProviderWord } from './fulfilments.state.ts';

/**
 * Says that a provider is about to be asked to send an order; nothing where it is not due. By word of staff what cannot
 * be is refused.
 */
export interface BeginSubmission {
  readonly type: 'BeginSubmission';
  readonly orderId: string;
  readonly source: SubmissionSource;
}

/** How often a provider is asked, and the pauses before it is asked again; the last one stays. */
export interface RetryRules {
  readonly maxAttempts: number;
  readonly delaysMinutes: readonly number[];
}

/** What the provider has said to it. */
export interface RecordSubmission {
  readonly type: 'RecordSubmission';
  readonly orderId: string;
  readonly retries: RetryRules;
  readonly outcome: SubmissionOutcome;
}

/** What the provider has said, and what the order cannot do. */
export interface NoteProviderStatus {
  readonly type: 'NoteProviderStatus';
  readonly orderId: string;
  readonly said: ProviderWord;
}

/** For people; a note that is there already is not written again. */
export interface NoteFulfilment {
  readonly type: 'NoteFulfilment';
  readonly noteId: string;
  readonly text: string;
  readonly author: string;
}

/** What came of telling the provider that an order is cancelled. */
export interface RecordCancellation {
  readonly type: 'RecordCancellation';
  readonly orderId: string;
  readonly outcome: CancellationOutcome;
}

/** The provider has been silent for so long that it is not asked any more. */
export interface EndWatch {
  readonly type: 'EndWatch';
  readonly orderId: string;
}

export type FulfilmentCommand =
  BeginSubmission | RecordSubmission | NoteProviderStatus | NoteFulfilment | RecordCancellation | EndWatch;
