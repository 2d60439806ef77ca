import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { defined } from '#kernel/defined.ts';
import { derivedId } from '#kernel/ids.ts';
import { isSold, nameOf, type KnownInvoice } from '../invoice.state.ts';
import { asksBeside, heldOf, type Authorization } from './authorizations.state.ts';

const { AuthorizationReleased, VoidAttempted } = invoiceEvents.create;

export const voidAttempted = (
  { paymentId, provider }: Pick<Authorization, 'paymentId' | 'provider'>,
  { voidId, by }: { readonly voidId: string; readonly by: string },
  attemptedAt: string,
): InvoiceEvent => VoidAttempted({ voidId, paymentId, provider, by, attemptedAt });

/** Of the shop's own accord; after a no it is asked under another key. */
export const voidIdAfter = (paymentId: string, lastNo: Authorization['lastNo'] = null): string =>
  derivedId('void-authorization', paymentId, lastNo?.askId ?? '');

/**
 * Lets go what is held, apart from what is being captured, for an invoice to which nothing is owed any more; what is
 * being asked for ends by its own answer.
 */
export const voidedAuthorizations = (
  invoice: KnownInvoice,
  by: string,
  now: string,
  capturedId?: string,
): InvoiceEvent[] =>
  heldOf(invoice)
    .filter(({ ask, paymentId }) => ask === null && paymentId !== capturedId)
    .map((held) => voidAttempted(held, { voidId: voidIdAfter(held.paymentId, held.lastNo), by }, now));

/** Without it the sale stands on nothing: neither on what was paid, nor on another hold, nor on account. */
const isLastOf = (invoice: KnownInvoice, paymentId: string): boolean => {
  const authorizations = invoice.authorizations.filter((other) => other.paymentId !== paymentId);
  return !isSold({ ...invoice, authorizations });
};

export const released = (
  invoice: KnownInvoice,
  { paymentId, provider, transactionId, amount }: Authorization,
  reason: 'voided' | 'expired',
  releasedAt: string,
): InvoiceEvent =>
  AuthorizationReleased({
    ...nameOf(invoice),
    ...{ paymentId, provider, transactionId, amount, currency: invoice.content.currency, reason },
    releasedAt,
    asksLeft: asksBeside(invoice, paymentId),
    ...defined({ isLast: isLastOf(invoice, paymentId) || undefined }),
  });
