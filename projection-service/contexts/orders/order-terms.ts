import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { CustomerEvent } from '#events/customer.events.ts';
import type { EventOfType, Recorded } from '#kernel/event.ts';
import type { Projection } from '#kernel/projection.ts';
import type { OrderDocument } from './order.document.ts';

/** What a customer's stream says of invoices that are owed. */
export type TermsEvent = EventOfType<
  CustomerEvent,
  'CustomerCreditClaimed' | 'CustomerOutstandingChanged' | 'CustomerTermsChanged'
>;

const types: ReadonlySet<string> = new Set<TermsEvent['type']>([
  'CustomerCreditClaimed',
  'CustomerOutstandingChanged',
  'CustomerTermsChanged',
]);

export const isOfTerms = (event: Recorded<InvoiceEvent | TermsEvent>): event is Recorded<TermsEvent> =>
  types.has(event.type);

export const invoicesOf = ({ data }: Recorded<TermsEvent>): readonly string[] =>
  'invoiceIds' in data ? data.invoiceIds : [data.invoiceId];

const withTerms = (
  document: OrderDocument | null,
  { data: { hasAccountTerms } }: Recorded<TermsEvent>,
): OrderDocument | null => {
  const customerTerms = hasAccountTerms === false ? 'none' : 'account';
  return document && document.customerTerms !== customerTerms ? { ...document, customerTerms } : document;
};

/** Whether an invoice is owed by a customer with account terms (docs/rules/account-terms.md#who-owes). */
export const onTerms: Projection<OrderDocument, TermsEvent>['on'] = {
  CustomerCreditClaimed: withTerms,
  CustomerOutstandingChanged: withTerms,
  CustomerTermsChanged: withTerms,
};
