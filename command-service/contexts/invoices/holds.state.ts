import type { Part } from './invoice-part.state.ts';
import { isKeptOnHold, type Dispute } from './payments/disputes.state.ts';

export interface Holding {
  /** Orders put on hold by their provider; it may end no other hold. */
  readonly providerHolds: readonly string[];
}

export const nothingHeld: Holding = { providerHolds: [] };

/** Whether its provider has put an order on hold, regardless of other holds. */
export const isHeldByProvider = ({ providerHolds }: Holding, orderId: string): boolean =>
  providerHolds.includes(orderId);

/** Whether the provider of an order on hold may release it: no other hold remains. */
export const isProvidersToLetGo = (
  invoice: Holding & { readonly disputes: readonly Dispute[] },
  orderId: string,
): boolean => isHeldByProvider(invoice, orderId) && !isKeptOnHold(invoice.disputes, orderId);

const without = ({ providerHolds }: Holding, orderId: string): readonly string[] =>
  providerHolds.filter((id) => id !== orderId);

export const onHoldEvents = {
  OrderStatusChanged: (invoice, { data: { orderId, isHeldByProvider: isHeld } }) => ({
    providerHolds: [...without(invoice, orderId), ...(isHeld ? [orderId] : [])],
  }),
  OrderHoldTakenOver: (invoice, { data: { orderId } }) => ({ providerHolds: without(invoice, orderId) }),
} satisfies Part<Holding>;
