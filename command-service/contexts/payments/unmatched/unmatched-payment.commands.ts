import type { RefundOutcome } from '#ports/payment-requests.ts';
import type { Minor } from '#values/money.ts';

/** A provider has told of money, and the shop knows no invoice for it. */
interface ReceiveUnmatchedPayment {
  readonly type: 'ReceiveUnmatchedPayment';
  readonly provider: string;
  readonly transactionId: string;
  readonly amount: Minor;
  readonly currency: string;
  readonly namedInvoiceId: string | null;
}

/** Staff know which invoice it is for. */
interface MatchUnmatchedPayment {
  readonly type: 'MatchUnmatchedPayment';
  readonly invoiceId: string;
  readonly by: string;
}

/** The payment stands on an invoice, matched by staff or recorded by itself. */
interface NoteUnmatchedPaymentPlaced {
  readonly type: 'NoteUnmatchedPaymentPlaced';
  readonly invoiceId: string;
}

/** Staff give back what is left of it. */
interface RefundUnmatchedPayment {
  readonly type: 'RefundUnmatchedPayment';
  readonly by: string;
}

/** What the provider answers to an ask. */
interface RecordUnmatchedRefund {
  readonly type: 'RecordUnmatchedRefund';
  readonly refundId: string;
  readonly outcome: Extract<RefundOutcome, { kind: 'completed' | 'pending' | 'refused' }>;
}

/** What the provider tells of its own accord of a refund that it calls so. */
interface ReportUnmatchedRefund {
  readonly type: 'ReportUnmatchedRefund';
  readonly transactionId: string;
  /** null: all that is left. */
  readonly amount: Minor | null;
  /** Why it has failed; null: it has not. */
  readonly failure: string | null;
}

export type UnmatchedPaymentCommand =
  | ReceiveUnmatchedPayment
  | MatchUnmatchedPayment
  | NoteUnmatchedPaymentPlaced
  | RefundUnmatchedPayment
  | RecordUnmatchedRefund
  | ReportUnmatchedRefund;
