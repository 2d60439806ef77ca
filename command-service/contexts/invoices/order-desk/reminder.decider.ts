import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import type { Decider } from '#kernel/decider.ts';
import { businessDay } from '#values/business-day.ts';
import type { Reminder } from '#values/reminders.ts';
import {
  initialInvoice,
  invoiceSubject,
  isKnown,
  onInvoiceEvents,
  type InvoiceState,
} from '../invoice.state.ts';

const { InvoiceReminded } = invoiceEvents.create;

/** The mail is on its way. Kind and number are the business key of a repeat. */
export interface NoteReminder extends Reminder {
  readonly type: 'NoteReminder';
  readonly dayDue: string;
}

export interface ReminderContext {
  /** Milliseconds. */
  readonly now: number;
  readonly timeZone: string;
}

/** Whatever has become of the invoice meanwhile: the mail says what was so when it was written. */
const note = (
  state: InvoiceState,
  { kind, number, days, dayDue }: NoteReminder,
  { now, timeZone }: ReminderContext,
): InvoiceEvent[] => {
  if (!isKnown(state) || state.status === 'deleted') return [];
  const { reminded, invoiceNumber, content } = state;
  const isNext = kind === 'dueSoon' ? !reminded.isDueSoonSent : number === reminded.overdueSent + 1;
  if (!isNext) return [];
  return [
    InvoiceReminded({
      ...{ invoiceNumber, businessDay: content.businessDay },
      ...{ kind, number, dayDue, days },
      remindedDay: businessDay(now, timeZone),
      remindedAt: new Date(now).toISOString(),
    }),
  ];
};

/** Reminders of what is owed: rules of an invoice's stream (docs/rules/account-terms.md#reminders). */
export const reminderDecider: Decider<InvoiceState, NoteReminder, InvoiceEvent, ReminderContext> = {
  category: 'invoice',
  initial: initialInvoice,
  decide: note,
  on: onInvoiceEvents,
  remembersCommands: true,
  subject: invoiceSubject,
};
