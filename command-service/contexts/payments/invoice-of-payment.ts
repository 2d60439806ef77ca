import { notFound } from '#kernel/entity.ts';
import type { OrderShipmentsApi } from '../invoices/fulfilment/shipment.commands.ts';
import { isKnown, type InvoiceState, type KnownInvoice } from '../invoices/invoice.state.ts';

interface PaymentSources {
  readonly find: OrderShipmentsApi['invoiceOf'];
  readonly load: (invoiceId: string) => Promise<InvoiceState>;
}

/** The invoice of a payment or of a refund. Errors: `entity-not-found`, also for one of an invoice that is deleted. */
export const invoiceOfPayment = async (
  { find, load }: PaymentSources,
  paymentId: string,
): Promise<{ readonly invoiceId: string; readonly invoice: KnownInvoice }> => {
  const invoiceId = await find(paymentId);
  if (invoiceId === null) throw notFound('payment');
  const invoice = await load(invoiceId);
  if (!isKnown(invoice) || invoice.status === 'deleted') throw notFound('payment');
  return { invoiceId, invoice };
};
