/** Asks for money of a payment to be given back; the refund's id is the business key of a repeat. */
export interface StartRefund {
  readonly type: 'StartRefund';
  readonly refundId: string;
  readonly paymentId: string;
  /** Minor units of the invoice's currency; null: everything that is left. */
  readonly amount: number | null;
  readonly reason: string;
  readonly by: string;
  /** `hand`: it has been given back already, no provider is asked. `owed`: it came too late, and is no favour. */
  readonly how: 'provider' | 'hand' | 'owed';
  /** What the payment's provider can do. */
  readonly can: { readonly refunds: boolean; readonly partialRefunds: boolean };
  /** Names this ask: only its sender may ask the provider first (docs/rules/payments.md#asking). */
  readonly askId: string;
}

/** Records that a provider is about to be asked by another caller than the first, or once more. */
export interface AskForRefundAgain {
  readonly type: 'AskForRefundAgain';
  readonly refundId: string;
}

/** The provider has taken it on, and owes the outcome. */
export interface AwaitRefund {
  readonly type: 'AwaitRefund';
  readonly refundId: string;
  readonly transactionId: string;
}

export interface CompleteRefund {
  readonly type: 'CompleteRefund';
  readonly refundId: string;
  readonly transactionId: string;
}

export interface DeclineRefund {
  readonly type: 'DeclineRefund';
  readonly refundId: string;
  readonly code: string;
  readonly message: string;
}

/** The provider could not be reached: nothing was refunded if it was never asked before. */
export interface GiveUpRefund {
  readonly type: 'GiveUpRefund';
  readonly refundId: string;
  readonly askId: string | null;
}

/** A refund that the provider tells of; its own id is the business key of a repeat. */
export interface RecordProviderRefund {
  readonly type: 'RecordProviderRefund';
  readonly provider: string;
  readonly chargeTransactionId: string;
  /** The provider's own name of the refund. */
  readonly refundId: string;
  /** Null: everything that is left. */
  readonly amount: number | null;
  readonly reason: string;
}

/** The provider tells that a refund has failed, also one that was given back before. */
export interface FailProviderRefund {
  readonly type: 'FailProviderRefund';
  readonly provider: string;
  readonly chargeTransactionId: string;
  /** The provider's own name of the refund. */
  readonly refundId: string;
  readonly message: string;
}

export type RefundCommand =
  | StartRefund
  | AskForRefundAgain
  | AwaitRefund
  | CompleteRefund
  | DeclineRefund
  | GiveUpRefund
  | RecordProviderRefund
  | FailProviderRefund;
