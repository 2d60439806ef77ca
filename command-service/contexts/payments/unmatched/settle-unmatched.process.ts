import { callsOf, remember, type Process } from '#kernel/process.ts';
import { to } from '#kernel/stream.ts';
import type { RefundOutcome } from '#ports/payment-requests.ts';
import type { AskedRefund, KnownUnmatchedPayment } from './unmatched-payment.state.ts';
import { unmatchedPaymentStream } from './unmatched-payment.stream.ts';

export interface OpenUnmatched {
  readonly id: string;
  readonly payment: KnownUnmatchedPayment;
}

export interface UnmatchedCalls {
  /** Records it on its invoice; harmless to repeat. */
  readonly place: (open: {
    readonly payment: KnownUnmatchedPayment;
    readonly invoiceId: string;
  }) => Promise<unknown>;
  /** Asks its provider, or looks up what it has taken on. */
  readonly giveBack: (asked: {
    readonly payment: KnownUnmatchedPayment;
    readonly refund: AskedRefund;
  }) => Promise<RefundOutcome>;
}

const call = callsOf<UnmatchedCalls>();

/** From what staff have decided of money without an invoice to where it is on one, or given back. */
export const settleUnmatched: Process<OpenUnmatched, RefundOutcome> = {
  name: 'settle-unmatched',
  on: {
    UnmatchedPaymentMatched: 'opens',
    UnmatchedPaymentPlaced: 'ends',
    UnmatchedRefundAttempted: 'opens',
    // From here on its provider tells of it, or staff ask.
    UnmatchedRefundPending: 'ends',
    UnmatchedPaymentRefunded: 'ends',
    UnmatchedRefundFailed: 'ends',
  },
  takenOver: null,
  begins: () => ({ kind: 'unknownOutcome' }),
  steps: [
    {
      name: 'record it on its invoice',
      commands: ({ payment }) =>
        payment.status === 'matched' && payment.invoiceId !== null
          ? [call('place', { payment, invoiceId: payment.invoiceId })]
          : [],
    },
    {
      name: 'note that it is there',
      commands: ({ id, payment: { status, invoiceId } }) =>
        status === 'matched' && invoiceId !== null
          ? [to(unmatchedPaymentStream, id, { type: 'NoteUnmatchedPaymentPlaced', invoiceId })]
          : [],
    },
    {
      name: 'ask the provider to give it back',
      commands: ({ payment }) =>
        payment.refund
          ? [remember(call('giveBack', { payment, refund: payment.refund }), (_before, outcome) => outcome)]
          : [],
    },
    {
      name: 'record what it said',
      commands: ({ id, payment: { refund } }, outcome) =>
        refund && (outcome.kind === 'completed' || outcome.kind === 'pending' || outcome.kind === 'refused')
          ? [
              to(unmatchedPaymentStream, id, {
                type: 'RecordUnmatchedRefund',
                refundId: refund.refundId,
                outcome,
              }),
            ]
          : [],
    },
  ],
  completes: null,
  fails: null,
};
