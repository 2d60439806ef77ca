/** Records that a provider is about to be asked for the whole balance. */
export interface AttemptPayment {
  readonly type: 'AttemptPayment';
  readonly provider: string;
  readonly method: string;
  readonly token: string;
  /** Keyed hash of the token: part of the attempt's key. */
  readonly tokenHash: string;
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

/** The provider could not be reached and has certainly not charged. */
export interface GiveUpAttempt {
  readonly type: 'GiveUpAttempt';
  readonly attemptId: string;
  readonly reason: string;
}

/** A payment that was taken outside a provider (manual). */
export interface RecordDirectPayment {
  readonly type: 'RecordDirectPayment';
  readonly provider: string;
  readonly method: string;
  readonly formData: Readonly<Record<string, string>>;
}

export type PaymentCommand =
  AttemptPayment | CapturePayment | DeclinePayment | GiveUpAttempt | RecordDirectPayment;
