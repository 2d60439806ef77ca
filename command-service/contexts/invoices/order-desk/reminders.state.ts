import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { EventOfType } from '#kernel/event.ts';
import { afterReminder, neverReminded, type Reminded } from '#values/reminders.ts';

/** What an invoice knows of reminders (docs/rules/account-terms.md#reminders). */
export interface Remindable {
  readonly reminded: Reminded;
}

export const unreminded: Remindable = { reminded: neverReminded };

export const reminded = <Invoice extends Remindable>(
  invoice: Invoice,
  { data }: EventOfType<InvoiceEvent, 'InvoiceReminded'>,
): Invoice => ({ ...invoice, reminded: afterReminder(invoice.reminded, data, data.remindedDay) });
