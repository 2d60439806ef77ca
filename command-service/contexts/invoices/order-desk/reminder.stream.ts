import type { ShopStream } from '#command/engine/streams.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { InvoiceState } from '../invoice.state.ts';
import { reminderDecider, type NoteReminder, type ReminderContext } from './reminder.decider.ts';

/** Invoices, as their customers are reminded of them. */
export const reminderStream: ShopStream<InvoiceState, NoteReminder, InvoiceEvent, ReminderContext> = {
  decider: reminderDecider,
  context:
    ({ clock, settings }) =>
    () => ({ now: clock.now(), timeZone: settings().reportingTimeZone }),
  ends: () => true,
};
