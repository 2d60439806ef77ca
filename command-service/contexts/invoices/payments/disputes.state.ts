import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { OrderStatus } from '#events/invoice.fields.ts';
import type { EventOfType } from '#kernel/event.ts';

/** A payer who wants a payment back by way of the bank (docs/rules/payment-callbacks.md#disputes). */
export interface Dispute {
  readonly disputeId: string;
  readonly paymentId: string;
  readonly provider: string;
  /** Minor units of the invoice's currency; null where the provider does not say. */
  readonly amount: number | null;
  readonly status: 'opened' | 'won' | 'lost';
  readonly openedAt: string;
  /** The orders that it has put on hold. */
  readonly heldOrderIds: readonly string[];
}

/** What has not left yet, and can be kept from leaving. */
const holdable: ReadonlySet<OrderStatus> = new Set([
  'Pending',
  'AwaitingStock',
  'ReadyToFulfill',
  'Processing',
  'FulfilmentFailed',
]);

export const isHoldable = (status: OrderStatus): boolean => holdable.has(status);

/** Whether one of these disputes keeps an order on hold: it is open, or lost. */
export const isKeptOnHold = (disputes: readonly Dispute[], orderId: string): boolean =>
  disputes.some(({ status, heldOrderIds }) => status !== 'won' && heldOrderIds.includes(orderId));

const disputeOpened = (
  disputes: readonly Dispute[],
  { data }: EventOfType<InvoiceEvent, 'DisputeOpened'>,
): readonly Dispute[] => {
  const { disputeId, paymentId, provider, amount, openedAt, heldOrderIds } = data;
  return [
    ...disputes,
    { disputeId, paymentId, provider, amount, openedAt, heldOrderIds: [...heldOrderIds], status: 'opened' },
  ];
};

const disputeResolved = (
  disputes: readonly Dispute[],
  { data: { disputeId, provider, outcome } }: EventOfType<InvoiceEvent, 'DisputeResolved'>,
): readonly Dispute[] =>
  disputes.map((dispute) =>
    dispute.disputeId === disputeId && dispute.provider === provider
      ? { ...dispute, status: outcome }
      : dispute,
  );

interface Disputed {
  readonly disputes: readonly Dispute[];
}

/** What the events of disputes make of their invoice. */
export const onDisputeEvents = {
  DisputeOpened: <Invoice extends Disputed>(
    invoice: Invoice,
    event: EventOfType<InvoiceEvent, 'DisputeOpened'>,
  ): Invoice => ({ ...invoice, disputes: disputeOpened(invoice.disputes, event) }),
  DisputeResolved: <Invoice extends Disputed>(
    invoice: Invoice,
    event: EventOfType<InvoiceEvent, 'DisputeResolved'>,
  ): Invoice => ({ ...invoice, disputes: disputeResolved(invoice.disputes, event) }),
};

export const disputeOf = (
  { disputes }: { readonly disputes: readonly Dispute[] },
  provider: string,
  disputeId: string,
): Dispute | undefined =>
  disputes.find((dispute) => dispute.provider === provider && dispute.disputeId === disputeId);
