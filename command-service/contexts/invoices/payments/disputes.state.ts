import type { OrderStatus } from '#events/invoice.fields.ts';
import type { Part } from '../invoice-part.state.ts';

/** A payment that the payer disputes with the bank (docs/rules/payment-callbacks.md#disputes). */
export interface Dispute {
  readonly disputeId: string;
  readonly paymentId: string;
  readonly provider: string;
  /** Minor units of the invoice's currency; null if the provider does not say. */
  readonly amount: number | null;
  readonly status: 'opened' | 'won' | 'lost';
  readonly openedAt: string;
  readonly heldOrderIds: readonly string[];
}

/** Statuses of orders that have not been sent and can be held back. */
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

export interface Disputed {
  readonly disputes: readonly Dispute[];
}

export const onDisputeEvents = {
  DisputeOpened: ({ disputes }, { data }) => {
    const { disputeId, paymentId, provider, amount, openedAt, heldOrderIds } = data;
    const opened = { disputeId, paymentId, provider, amount, openedAt, heldOrderIds } as const;
    return { disputes: [...disputes, { ...opened, status: 'opened' }] };
  },
  DisputeResolved: ({ disputes }, { data: { disputeId, provider, outcome: status } }) => ({
    disputes: disputes.map((dispute) =>
      dispute.disputeId === disputeId && dispute.provider === provider ? { ...dispute, status } : dispute,
    ),
  }),
} satisfies Part<Disputed>;

export const disputeOf = ({ disputes }: Disputed, provider: string, disputeId: string): Dispute | undefined =>
  disputes.find((dispute) => dispute.provider === provider && dispute.disputeId === disputeId);
