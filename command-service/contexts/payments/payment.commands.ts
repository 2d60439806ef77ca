/** Records that a provider is about to be asked for the whole balance. */
export interface AttemptPayment {
  readonly type: 'AttemptPayment';
  readonly provider: string;
  readonly method: string;
  readonly token: string;
  /** Keyed hash of the token: part of the attempt's key. */
  readonly tokenHash: string;
  /** Names this ask: only its sender may ask the provider first (docs/rules/payments.md#asking). */
  readonly askId: string;
}

/** What a shopper pays with; who asks the provider is added when it is recorded. */
export type CardPayment = Omit<AttemptPayment, 'askId'>;

/** Records that a provider is about to be asked by somebody else than the first, or once more. */
export interface AskAgain {
  readonly type: 'AskAgain';
  readonly attemptId: string;
}

export interface CapturePayment {
  readonly type: 'CapturePayment';
  readonly attemptId: string;
  readonly transactionId: string;
}

export interface DeclinePayment {
  readonly type: 'DeclinePayment';
  readonly attemptId: string;
  readonly code: string;
  readonly message: string;
}

/** The provider could not be reached. Nothing has been charged if nobody had asked before: the decider knows. */
export interface GiveUpAttempt {
  readonly type: 'GiveUpAttempt';
  readonly attemptId: string;
  /** Who asked; null for somebody who was not the first. */
  readonly askId: string | null;
  readonly reason: string;
}

/** A payment that was taken outside a provider (manual), as the shopper's form says. */
export interface RecordDirectPayment {
  readonly type: 'RecordDirectPayment';
  readonly provider: string;
  readonly method: string;
  readonly formData: Readonly<Record<string, string>>;
  /** A promise, for which goods are held so long. null: the form is believed. */
  readonly holdMinutes: number | null;
}

/** Money that somebody of the backoffice has seen arrive. */
export interface RecordManualPayment {
  readonly type: 'RecordManualPayment';
  readonly method: string;
  /** Minor units of the invoice's currency; more than is due makes a credit. */
  readonly amount: number;
  readonly description: string | null;
}

export type PaymentCommand =
  | AttemptPayment
  | AskAgain
  | CapturePayment
  | DeclinePayment
  | GiveUpAttempt
  | RecordDirectPayment
  | RecordManualPayment;
