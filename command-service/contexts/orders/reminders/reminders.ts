import type { CommandDeps } from '#command/engine/service-deps.ts';
import { businessDay } from '#values/business-day.ts';
import { type Reminder, reminderDue, type ReminderLimits } from '#values/reminders.ts';
import { type InvoiceState, isKnown, type KnownInvoice } from '../../invoices/invoice.state.ts';
import { dueDateOfInvoice } from '../../invoices/payments/owed.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';

interface RemindersDeps extends Pick<CommandDeps, 'streams' | 'clock' | 'settings'> {
  readonly limits: ReminderLimits;
}

/** Only a confirmed sale is owed. */
const isOwed = (state: InvoiceState): state is KnownInvoice =>
  isKnown(state) && state.status === 'open' && state.isConfirmed && state.balance.balanceDue > 0;

/** Reminds customers of what they owe (docs/rules/account-terms.md#reminders). */
export const createReminders = ({ streams, clock, settings, limits }: RemindersDeps) => {
  const due = (invoice: KnownInvoice): { readonly reminder: Reminder; readonly dayDue: string } | null => {
    const { reportingTimeZone } = settings();
    const dueDate = dueDateOfInvoice(invoice);
    if (dueDate === null) return null;
    const dayDue = businessDay(Date.parse(dueDate), reportingTimeZone);
    const today = businessDay(clock.now(), reportingTimeZone);
    const reminder = reminderDue(today, dayDue, invoice.reminded, limits);
    return reminder && { reminder, dayDue };
  };

  /** Notes the reminder that is due, if any; its mail follows from that (docs/rules/mail-deliveries.md#queued). */
  return async (invoiceId: string): Promise<boolean> => {
    const { state } = await streams.load(invoiceStream, invoiceId);
    const found = isOwed(state) ? due(state) : null;
    if (found === null || !isOwed(state) || state.email === null) return false;
    const { reminder, dayDue } = found;
    const command = { type: 'NoteReminder', ...reminder, dayDue } as const;
    await streams.send(invoiceStream, invoiceId, command, {
      correlationId: invoiceId,
      causationId: 'invoice-reminders',
      actor: { kind: 'system', id: 'invoice-reminders' },
    });
    return true;
  };
};
