import { z } from 'zod';
import { listFields, pageSchema } from './listing.contract.ts';

// A member's own orders (docs/rules/account.md#orders).

const { page, pageSize } = listFields(20, 100);
export const accountOrdersQuery = z.object({ page, pageSize });

/** Amounts in the invoice's currency. */
const accountOrder = z.object({
  invoiceId: z.string(),
  invoiceNumber: z.string(),
  dateCreated: z.string(),
  currencyCode: z.string(),
  currencySymbol: z.string(),
  total: z.number(),
  formattedTotal: z.string(),
  itemCount: z.int(),
  paymentStatus: z.string(),
  fulfillmentStatus: z.string(),
  deliveryStatus: z.string().nullable(),
  isCancelled: z.boolean(),
  isRefunded: z.boolean(),
});
export type AccountOrder = z.output<typeof accountOrder>;

export const accountOrdersResponse = pageSchema(accountOrder).extend({
  success: z.literal(true),
  message: z.string(),
});
