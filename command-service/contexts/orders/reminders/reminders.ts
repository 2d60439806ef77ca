import type { CommandDeps } from '#command/engine/service-deps.ts';
import { derivedId } from '#kernel/ids.ts';
import { businessDay } from '#values/business-day.ts';
import { type Reminder, reminderDue, type ReminderLimits } from '#values/reminders.ts';
import { escapeHtml } from '#values/escape-html.ts';
import { formatMoney, type Minor } from '#values/money.ts';
import { type InvoiceState, isKnown, type KnownInvoice } from '../../invoices/invoice.state.ts';
import { dueDateOfInvoice } from '../../invoices/payments/owed.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';
import type { WrittenMail } from '../../mails/mail.commands.ts';

interface Reminding {
  readonly to: string;
  readonly customerName: string | null;
  readonly storeName: string;
  readonly invoiceNumber: string;
  /** The customer's own number; null if there is none. */
  readonly purchaseOrderNumber: string | null;
  /** In the invoice's currency. */
  readonly balanceDue: Minor;
  readonly currency: string;
  /** A business day. */
  readonly dayDue: string;
}

const inWords = (day: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(Date.parse(day));

const daysInWords = (days: number): string => (days === 1 ? '1 day' : `${days} days`);

const whenDue = ({ kind, days }: Reminder, dayDue: string): string => {
  if (kind === 'overdue') return `was due on ${inWords(dayDue)}, ${daysInWords(days)} ago`;
  return days === 0 ? 'is due today' : `is due on ${inWords(dayDue)}, in ${daysInWords(days)}`;
};

const subjectOf = ({ kind, number }: Reminder, { invoiceNumber, storeName }: Reminding): string => {
  if (kind === 'dueSoon') return `Invoice ${invoiceNumber} of ${storeName} is due soon`;
  return `Invoice ${invoiceNumber} of ${storeName} is overdue${number > 1 ? `: reminder ${number}` : ''}`;
};

/** The mail to a customer who owes an invoice (docs/rules/account-terms.md#reminders). */
const reminderMail = (reminder: Reminder, reminding: Reminding): WrittenMail => {
  const { to, customerName, storeName, invoiceNumber, purchaseOrderNumber, balanceDue, currency, dayDue } =
    reminding;
  const order = purchaseOrderNumber === null ? '' : ` (your order ${purchaseOrderNumber})`;
  const paragraphs = [
    customerName === null ? 'Hello,' : `Hello ${customerName},`,
    `Invoice ${invoiceNumber}${order} ${whenDue(reminder, dayDue)}. ` +
      `${formatMoney(balanceDue, currency)} is still to be paid.`,
    'If you have paid in the last few days, there is nothing left to do.',
    storeName,
  ];
  return {
    to,
    subject: subjectOf(reminder, reminding),
    text: `${paragraphs.join('\n\n')}\n`,
    html: paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`).join(''),
  };
};

interface RemindersDeps extends Pick<CommandDeps, 'streams' | 'apis' | 'clock' | 'settings'> {
  readonly limits: ReminderLimits;
}

/** Only a confirmed sale is owed. */
const isOwed = (state: InvoiceState): state is KnownInvoice =>
  isKnown(state) && state.status === 'open' && state.isConfirmed && state.balance.balanceDue > 0;

/** Reminds customers of what they owe (docs/rules/account-terms.md#reminders). */
export const createReminders = ({ streams, apis, clock, settings, limits }: RemindersDeps) => {
  const due = (invoice: KnownInvoice): { readonly reminder: Reminder; readonly dayDue: string } | null => {
    const { reportingTimeZone } = settings();
    const dueDate = dueDateOfInvoice(invoice);
    if (dueDate === null) return null;
    const dayDue = businessDay(Date.parse(dueDate), reportingTimeZone);
    const today = businessDay(clock.now(), reportingTimeZone);
    const reminder = reminderDue(today, dayDue, invoice.reminded, limits);
    return reminder && { reminder, dayDue };
  };

  /**
   * Sends the reminder that is due, if any. The mail goes first, under an id derived from the reminder, so that a crash
   * before it is recorded, or a second process, sends no second mail.
   */
  return async (invoiceId: string): Promise<boolean> => {
    const { state } = await streams.load(invoiceStream, invoiceId);
    const found = isOwed(state) ? due(state) : null;
    if (found === null || !isOwed(state) || state.email === null) return false;
    const { reminder, dayDue } = found;
    const { invoiceNumber, customerName, purchaseOrderNumber, balance, content, email: to } = state;
    const mail = reminderMail(reminder, {
      ...{ to, customerName, invoiceNumber, dayDue },
      storeName: settings().name,
      purchaseOrderNumber,
      balanceDue: balance.balanceDue,
      currency: content.currency,
    });
    const { kind, number } = reminder;
    await apis.mails.send(derivedId('invoice reminder', invoiceId, kind, number), mail);
    const command = { type: 'NoteReminder', ...reminder, dayDue } as const;
    await streams.send(invoiceStream, invoiceId, command, {
      correlationId: invoiceId,
      causationId: 'invoice-reminders',
      actor: { kind: 'system', id: 'invoice-reminders' },
    });
    return true;
  };
};
