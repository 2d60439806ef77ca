import { afterReminder, neverReminded, type Reminded } from '#values/reminders.ts';
import type { Part } from '../invoice-part.state.ts';

/** Reminders of an invoice (docs/rules/account-terms.md#reminders). */
export interface Remindable {
  readonly reminded: Reminded;
}

export const unreminded: Remindable = { reminded: neverReminded };

export const onReminderEvents = {
  InvoiceReminded: ({ reminded }, { data }) => ({
    reminded: afterReminder(reminded, data, data.remindedDay),
  }),
} satisfies Part<Remindable>;
