import { z } from 'zod';
import { count, day, instant, quantity, text } from './fields.ts';

/** In the stream of the invoice (docs/rules/account-terms.md#reminders). */
export const reminderShapes = {
  /** The customer was written to because the invoice is due soon, or overdue. */
  InvoiceReminded: {
    invoiceNumber: text,
    businessDay: day,
    kind: z.enum(['dueSoon', 'overdue']),
    /** From 1; of those before the due date there is one. */
    number: quantity,
    dayDue: day,
    /** Until it is due, or since it was. */
    days: count,
    /** Day of the shop on which it was sent. */
    remindedDay: day,
    remindedAt: instant,
  },
};
