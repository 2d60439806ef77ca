import type { Risk } from '#ports/payment-requests.ts';

interface SetAside {
  readonly transactionId: string;
  /** ISO instant until which it can be captured; null if the provider does not say. */
  readonly expiresAt: string | null;
  /** The method saved with this payment. */
  readonly keptMethodId?: string;
  readonly risk?: Risk;
}

/** The provider's answer to an attempt: the money is set aside. */
export interface AuthorizePayment extends SetAside {
  readonly type: 'AuthorizePayment';
  readonly attemptId: string;
}

/** The same, found on a return, by a callback or when asked. The transaction identifies a repeat. */
export interface RecordAuthorization extends SetAside {
  readonly type: 'RecordAuthorization';
  readonly provider: string;
  readonly sessionId: string | null;
  /** Minor units of `currency`. */
  readonly amount: number;
  readonly currency: string;
}

/** Staff want the money; what of it is not captured goes back. */
export interface StartCapture {
  readonly type: 'StartCapture';
  readonly captureId: string;
  readonly paymentId: string;
  /** Minor units of the invoice's currency; null: what is due, at most what is authorised. */
  readonly amount: number | null;
  readonly by: string;
}

/** The provider has taken it. */
export interface CompleteCapture {
  readonly type: 'CompleteCapture';
  readonly paymentId: string;
  readonly amount: number;
}

/** Staff let the money go. */
export interface StartVoid {
  readonly type: 'StartVoid';
  readonly voidId: string;
  readonly paymentId: string;
  readonly by: string;
}

/** The provider has let it go. */
export interface ReleaseAuthorization {
  readonly type: 'ReleaseAuthorization';
  readonly paymentId: string;
  readonly reason: 'voided' | 'expired';
}

/** The provider's no to what it was asked for. */
export interface DeclineAsk {
  readonly type: 'DeclineAsk';
  /** Of the capture or the void: a late answer ends no other ask. */
  readonly askId: string;
  readonly paymentId: string;
  readonly code: string;
  readonly message: string;
}

export type AuthorizationCommand =
  | AuthorizePayment
  | RecordAuthorization
  | StartCapture
  | CompleteCapture
  | StartVoid
  | ReleaseAuthorization
  | DeclineAsk;
