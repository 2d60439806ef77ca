import type { Process } from '#kernel/process.ts';
import { to } from '#kernel/stream.ts';
import { formatInvoiceNumber } from '#values/invoice-number.ts';
import { initialCustomer, previousSaleDay, type CustomerState } from '../customers/customer.state.ts';
import { customerStream } from '../customers/customer.stream.ts';
import type { RequestedInvoice } from './order-desk.state.ts';
import { orderDeskStream } from './order-desk.stream.ts';

/** A manual order whose invoice is not made yet. */
export interface OpenManualOrder extends RequestedInvoice {
  readonly invoiceId: string;
  readonly invoiceNumberPrefix: string;
}

interface Found {
  readonly number: number;
  readonly customer: CustomerState;
}

/**
 * From a requested manual order to its announced sale (docs/rules/manual-orders.md#steps): the customer's stream learns
 * of the sale, then a number is taken, then invoice and sale are one append. Nothing of it can be
 * refused.
 */
export const createManualOrder: Process<OpenManualOrder, Found> = {
  name: 'create-manual-order',
  on: { ManualOrderRequested: 'opens', InvoiceCreated: 'ends' },
  takenOver: null,
  begins: () => ({ number: 0, customer: initialCustomer() }),
  steps: [
    {
      name: 'tell the customer',
      asks: ({ invoiceId, content, billingAddress }) => {
        const { customerId, businessDay, createdAt: placedAt, amountsInStoreCurrency } = content;
        const { total } = amountsInStoreCurrency;
        const countryCode = billingAddress?.countryCode ?? null;
        const sale = { invoiceId, businessDay, total, placedAt, countryCode };
        return [to(customerStream, customerId, { type: 'RecordCustomerSale', ...sale })];
      },
      learns: (found, [sold]) => ({
        ...found,
        customer: (sold as { readonly state: CustomerState }).state,
      }),
    },
    {
      name: 'take a number',
      asks: ({ invoiceId, invoiceNumbersRevision }) => [
        { call: 'takeInvoiceNumber', input: { invoiceId, afterRevision: invoiceNumbersRevision } },
      ],
      learns: (found, [number]) => ({ ...found, number: number as number }),
    },
    {
      name: 'create the invoice and announce the sale',
      asks: ({ invoiceId, invoiceNumberPrefix }, { number, customer }) => [
        to(orderDeskStream, invoiceId, {
          type: 'CreateManualInvoice',
          invoiceNumber: formatInvoiceNumber(invoiceNumberPrefix, number),
          previousSaleDay: previousSaleDay(customer, invoiceId),
        }),
      ],
    },
  ],
  completes: null,
  fails: null,
};
