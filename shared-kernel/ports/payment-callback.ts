import type { Risk } from './payment-requests.ts';

/** What a provider tells the shop of its own accord. */
export interface PaymentCallback {
  /** The provider's own id of the event, else a hash of the body. */
  readonly eventId: string;
  readonly type:
    | 'PaymentCompleted'
    /** It is set aside, or was: what holds now is looked up. */
    | 'PaymentAuthorized'
    /** The provider, or the payer's bank, doubts that the payer is who they say; `reason` says why, for staff. */
    | 'PaymentSuspected'
    /** A method was saved at the provider: which, is looked up by the session. */
    | 'SetupCompleted'
    | 'PaymentFailed'
    | 'PaymentCancelled'
    | 'RefundCompleted'
    | 'RefundFailed'
    | 'DisputeOpened'
    | 'DisputeResolved'
    | 'Unknown';
  readonly transactionId: string | null;
  readonly invoiceId: string | null;
  readonly sessionId: string | null;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  readonly reason: string | null;
  /** Of PaymentCancelled: it had been set aside, and was not captured in time. */
  readonly isExpired?: true;
  readonly refundId: string | null;
  readonly disputeId: string | null;
  readonly disputeOutcome: 'won' | 'lost' | null;
  readonly risk: Risk | null;
  readonly settlement: {
    readonly currency: string;
    readonly amountMinor: number;
    readonly exchangeRate: string | null;
  } | null;
}
export type ReadCallback =
  | { readonly kind: 'event'; readonly event: PaymentCallback }
  | { readonly kind: 'invalidSignature' }
  | { readonly kind: 'malformed'; readonly message: string };

/** As it came: raw bytes, header names in lower case. `now` is the shop's clock, in milliseconds. */
export interface RawCallback {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly now: number;
}

/** What the shop has recorded of money because of a callback. */
export interface AcceptedCallback {
  readonly type: 'PaymentCompleted' | 'RefundCompleted' | 'RefundFailed';
  readonly invoiceId: string;
  /** Of the payment. */
  readonly transactionId: string;
  /** Of the refund. */
  readonly refundId: string | null;
  readonly amountMinor: number;
  readonly currency: string;
}
