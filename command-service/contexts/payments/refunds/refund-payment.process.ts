import { callsOf, remember, type Process } from '#kernel/process.ts';
import { to } from '#kernel/stream.ts';
import type { RefundOutcome } from '#ports/payment-requests.ts';
import type { InvoiceState } from '../../invoices/invoice.state.ts';
import { isKnown } from '../../invoices/invoice.state.ts';
import type { Refund } from '../../invoices/refunds/refunds.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';

/** A refund under way that a provider is to be asked for. */
export interface OpenRefund {
  readonly invoiceId: string;
  readonly refund: Refund;
  /** The payment, as the provider calls it. */
  readonly transactionId: string;
  /** This driver's right to ask the provider first; null when another caller may have asked before. */
  readonly askId: string | null;
}

interface Found {
  /** False when the outcome is known by now: the provider is not asked. */
  readonly isToBeAsked: boolean;
  readonly outcome: RefundOutcome;
}

export interface RefundCalls {
  readonly refund: (asked: Pick<OpenRefund, 'refund' | 'transactionId'>) => Promise<RefundOutcome>;
}

const call = callsOf<RefundCalls>();

const isFirst = ({ refund: { firstAsk }, askId }: OpenRefund): boolean =>
  askId !== null && askId === firstAsk;

const isUnderWay = (state: InvoiceState, refundId: string): boolean =>
  isKnown(state) && state.refunds.some((one) => one.refundId === refundId && one.status === 'underWay');

/** What the provider said, as a command. An unknown outcome is no failure: the refund stays under way. */
const recordOutcome = (open: OpenRefund, outcome: RefundOutcome) => {
  const { refundId } = open.refund;
  switch (outcome.kind) {
    case 'completed':
      return [{ type: 'CompleteRefund', refundId, transactionId: outcome.transactionId } as const];
    case 'pending':
      // Looked up and pending still: nothing new.
      return outcome.transactionId === open.refund.transactionId
        ? []
        : [{ type: 'AwaitRefund', refundId, transactionId: outcome.transactionId } as const];
    case 'refused':
      return [{ type: 'DeclineRefund', refundId, code: outcome.code, message: outcome.message } as const];
    case 'unavailable':
      // Says nothing of an earlier ask.
      return isFirst(open) ? [{ type: 'GiveUpRefund', refundId, askId: open.askId } as const] : [];
    case 'unknownOutcome':
      return [];
  }
};

/** Whether refunds of the invoice are still to come to an end. */
const whetherLast = ({ data }: { readonly data: unknown }) =>
  (data as { readonly openRefunds: number }).openRefunds > 0 ? 'opens' : 'ends';

/** From a refund that was recorded, or money that is owed back, to what the provider said. */
export const refundPayment: Process<OpenRefund, Found> = {
  name: 'refund-payment',
  on: {
    PaymentCaptured: ({ data }) => {
      const { isLate = false, isSurplus = false } = data as { isLate?: boolean; isSurplus?: boolean };
      return isLate || isSurplus ? 'opens' : null;
    },
    RefundAttempted: 'opens',
    // From here on it is looked up (`look-up-refunds`).
    RefundPending: whetherLast,
    PaymentRefunded: whetherLast,
    RefundDeclined: whetherLast,
  },
  takenOver: null,
  begins: () => ({ isToBeAsked: true, outcome: { kind: 'unknownOutcome' } }),
  steps: [
    {
      name: 'record that another caller asks, or asks again',
      commands: (open) => {
        const { refundId, firstAsk } = open.refund;
        if (firstAsk === null || isFirst(open)) return [];
        return [
          remember(
            to(invoiceStream, open.invoiceId, { type: 'AskForRefundAgain', refundId }),
            (found, { state }) => ({ ...found, isToBeAsked: isUnderWay(state, refundId) }),
          ),
        ];
      },
    },
    {
      name: 'ask the provider',
      commands: ({ refund, transactionId }, { isToBeAsked }) =>
        isToBeAsked
          ? [remember(call('refund', { refund, transactionId }), (found, outcome) => ({ ...found, outcome }))]
          : [],
    },
    {
      name: 'record what it said',
      commands: (open, { outcome }) =>
        recordOutcome(open, outcome).map((command) => to(invoiceStream, open.invoiceId, command)),
    },
  ],
  completes: null,
  fails: null,
};
