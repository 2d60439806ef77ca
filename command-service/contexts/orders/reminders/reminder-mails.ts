import { escapeHtml } from '#http/page.ts';
import { formatMoney, type Minor } from '#values/money.ts';
import type { Reminder } from '#values/reminders.ts';
import type { WrittenMail } from '../../mails/mail.commands.ts';

export interface Reminding {
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
export const reminderMail = (reminder: Reminder, reminding: Reminding): WrittenMail => {
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
