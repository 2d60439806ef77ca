import { z } from 'zod';
import { guid } from '#fields/body-fields.ts';

/** Money that a provider has taken without an order of the shop. */
export const unmatchedPayment = z.object({
  id: z.string(),
  paymentProviderAlias: z.string(),
  transactionId: z.string(),
  amount: z.number(),
  /** What has not been given back. */
  refundableAmount: z.number(),
  currencyCode: z.string(),
  /** The invoice that the provider names, which may be none of the shop's. */
  namedInvoiceId: z.string().nullable(),
  /** The invoice that it is on; null: none. */
  invoiceId: z.string().nullable(),
  status: z.enum(['Open', 'Matched', 'RefundPending', 'Refunded']),
  /** Why it could not be given back. */
  problem: z.string().nullable(),
  dateCreated: z.string(),
});
export type UnmatchedPaymentResponse = z.output<typeof unmatchedPayment>;

export const matchBody = z.object({ invoiceId: guid });
