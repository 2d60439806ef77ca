import { callsOf, remember, type Effect, type Process } from '#kernel/process.ts';
import { to } from '#kernel/stream.ts';
import type { SubmissionOutcome } from '#ports/fulfilment-provider.ts';
import type { OrderFulfilment } from '../invoices/fulfilment/fulfilments.state.ts';
import type { KnownInvoice } from '../invoices/invoice.state.ts';
import type { RetryRules } from '../invoices/fulfilment/fulfilment.commands.ts';
import { invoiceStream } from '../invoices/invoice.stream.ts';

export interface OpenSubmission {
  readonly invoiceId: string;
  readonly invoice: KnownInvoice;
  readonly fulfilment: OrderFulfilment;
  /** Acceptance creates a shipment of the whole order. */
  readonly createsShipment: boolean;
  readonly retries: RetryRules;
}

interface Found {
  readonly outcome: SubmissionOutcome;
}

export interface SubmissionCalls {
  readonly submit: (open: OpenSubmission) => Promise<SubmissionOutcome>;
  readonly createShipment: (orderId: string) => Promise<unknown>;
}

const call = callsOf<SubmissionCalls>();

/** The instance stays open while other orders of the invoice wait for their providers. */
const whetherLast = ({ data }: { readonly data: unknown }): Effect =>
  (data as { readonly openSubmissions: number }).openSubmissions > 0 ? 'opens' : 'ends';

/** From a recorded attempt to the provider's answer. Driven again, it asks under the same key. */
export const submitOrder: Process<OpenSubmission, Found> = {
  name: 'submit-order',
  on: {
    FulfilmentSubmissionAttempted: 'opens',
    FulfilmentSubmitted: whetherLast,
    FulfilmentAttemptFailed: whetherLast,
  },
  takenOver: null,
  begins: () => ({ outcome: { kind: 'failed', message: 'the provider was not asked' } }),
  steps: [
    {
      name: 'ask the provider',
      commands: (open) => [remember(call('submit', open), (_, outcome) => ({ outcome }))],
    },
    {
      name: 'make a shipment of what it has taken',
      commands: ({ fulfilment: { orderId }, createsShipment }, { outcome }) =>
        createsShipment && outcome.kind === 'submitted' ? [call('createShipment', orderId)] : [],
      // Staff may have shipped or cancelled it since.
      isTidyingUp: true,
    },
    {
      name: 'record what it said',
      commands: ({ invoiceId, fulfilment: { orderId }, retries }, { outcome }) => [
        to(invoiceStream, invoiceId, { type: 'RecordSubmission', orderId, retries, outcome }),
      ],
    },
  ],
  completes: null,
  fails: null,
};
