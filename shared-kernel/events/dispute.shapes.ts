import { z } from 'zod';
import { personal } from './define-events.ts';
import { currencyCode, day, guid, instant, minor, text } from './fields.ts';

const invoiceName = { invoiceNumber: text, businessDay: day };

/** Payers who want their money back by way of the bank, in the stream of the invoice. */
export const disputeShapes = {
  /** The payer wants a payment back by way of the bank; what could still be kept from leaving is on hold. */
  DisputeOpened: {
    ...invoiceName,
    /** As the provider calls it. */
    disputeId: text,
    paymentId: guid,
    provider: text,
    transactionId: text,
    /** Minor units of the invoice's currency; null where the provider does not say. */
    amount: minor.nullable(),
    currency: currencyCode,
    reason: personal(text),
    heldOrderIds: z.array(guid),
    openedAt: instant,
  },
  DisputeResolved: {
    ...invoiceName,
    disputeId: text,
    paymentId: guid,
    provider: text,
    amount: minor.nullable(),
    outcome: z.enum(['won', 'lost']),
    resolvedAt: instant,
  },
};
