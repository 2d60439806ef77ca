import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { EventOfType } from '#kernel/event.ts';
import { isKeptOnHold, type Dispute } from './payments/disputes.state.ts';

/** What an invoice knows of who holds its orders. */
export interface Holding {
  /** Orders on hold because their provider says so; any other hold is not a provider's to end. */
  readonly providerHolds: readonly string[];
}

export const nothingHeld: Holding = { providerHolds: [] };

/** Whether its provider has put an order on hold, whatever else holds it. */
export const isHeldByProvider = ({ providerHolds }: Holding, orderId: string): boolean =>
  providerHolds.includes(orderId);

/** Whether the provider of an order on hold may let it go: nobody but the provider holds it. */
export const isProvidersToLetGo = (
  invoice: Holding & { readonly disputes: readonly Dispute[] },
  orderId: string,
): boolean => isHeldByProvider(invoice, orderId) && !isKeptOnHold(invoice.disputes, orderId);

export const withoutProviderHold = <Invoice extends Holding>(invoice: Invoice, orderId: string): Invoice =>
  isHeldByProvider(invoice, orderId)
    ? { ...invoice, providerHolds: invoice.providerHolds.filter((id) => id !== orderId) }
    : invoice;

export const heldAfter = <Invoice extends Holding>(
  invoice: Invoice,
  { data: { orderId, isHeldByProvider: isByProvider } }: EventOfType<InvoiceEvent, 'OrderStatusChanged'>,
): Invoice => {
  const { providerHolds, ...rest } = withoutProviderHold(invoice, orderId);
  return { ...rest, providerHolds: isByProvider ? [...providerHolds, orderId] : providerHolds } as Invoice;
};
