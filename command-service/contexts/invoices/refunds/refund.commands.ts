/** Asks for a refund. Its id identifies a repeat. */
export interface StartRefund {
  readonly type: 'StartRefund';
  readonly refundId: string;
  readonly paymentId: string;
  /** Minor units of the invoice's currency; null: everything left. */
  readonly amount: number | null;
  readonly reason: string;
  readonly by: string;
  /** `hand`: already given back, so no provider is asked. `owed`: an overpayment. */
  readonly how: 'provider' | 'hand' | 'owed';
  readonly can: { readonly refunds: boolean; readonly partialRefunds: boolean };
  /** Names this ask: only its sender may ask the provider first (docs/rules/payments.md#asking). */
  readonly askId: string;
}

/** Records that a caller other than the first is about to ask the provider, or the same one again. */
export interface AskForRefundAgain {
  readonly type: 'AskForRefundAgain';
  readonly refundId: string;
}

/** The provider has accepted it; its outcome is pending. */
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

/** A refund reported by the provider, whose id identifies a repeat. */
export interface RecordProviderRefund {
  readonly type: 'RecordProviderRefund';
  readonly provider: string;
  readonly chargeTransactionId: string;
  /** The provider's id of the refund. */
  readonly refundId: string;
  /** Null: everything left. */
  readonly amount: number | null;
  readonly reason: string;
}

/** The provider reports that a refund has failed, even one recorded as done. */
export interface FailProviderRefund {
  readonly type: 'FailProviderRefund';
  readonly provider: string;
  readonly chargeTransactionId: string;
  /** The provider's id of the refund. */
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
