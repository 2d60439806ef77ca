/** When customers are reminded of what they owe (section `InvoiceReminders`). */
export interface ReminderLimits {
  readonly reminderDaysBeforeDue: number;
  readonly overdueReminderIntervalDays: number;
  readonly maxOverdueReminders: number;
}

/** The reminders that an invoice has had. */
export interface Reminded {
  readonly isDueSoonSent: boolean;
  readonly overdueSent: number;
  /** Day of the shop on which the last one went out; null before the first. */
  readonly lastDay: string | null;
}

export const neverReminded: Reminded = { isDueSoonSent: false, overdueSent: 0, lastDay: null };

export type ReminderKind = 'dueSoon' | 'overdue';

export interface Reminder {
  readonly kind: ReminderKind;
  /** From 1; of those before the due date there is one. */
  readonly number: number;
  /** Until the invoice is due, or since it was. */
  readonly days: number;
}

/** What an invoice has had once it was reminded. */
export const afterReminder = (
  reminded: Reminded,
  { kind, number }: Pick<Reminder, 'kind' | 'number'>,
  day: string,
): Reminded =>
  kind === 'dueSoon'
    ? { ...reminded, isDueSoonSent: true, lastDay: day }
    : { ...reminded, overdueSent: number, lastDay: day };

const DAY_MILLISECONDS = 86_400_000;

const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MILLISECONDS).toISOString().slice(0, 10);

const later = (one: string, other: string): string => (one > other ? one : other);

/** The day from which the next overdue reminder may go out; null after the last. */
const overdueFrom = (dueDay: string, reminded: Reminded, limits: ReminderLimits): string | null => {
  const { overdueSent, lastDay } = reminded;
  if (overdueSent >= limits.maxOverdueReminders) return null;
  const first = addDays(dueDay, 1);
  return overdueSent === 0 || lastDay === null
    ? first
    : later(first, addDays(lastDay, limits.overdueReminderIntervalDays));
};

/** The day from which there may be a reminder to send; null when there never will be. */
export const remindedFrom = (dueDay: string, reminded: Reminded, limits: ReminderLimits): string | null =>
  reminded.isDueSoonSent || reminded.overdueSent > 0
    ? overdueFrom(dueDay, reminded, limits)
    : addDays(dueDay, -limits.reminderDaysBeforeDue);

/** The reminder that is due today; null for none (docs/rules/account-terms.md#reminders). All days are the shop's. */
export const reminderDue = (
  today: string,
  dueDay: string,
  reminded: Reminded,
  limits: ReminderLimits,
): Reminder | null => {
  const days = Math.round((Date.parse(dueDay) - Date.parse(today)) / DAY_MILLISECONDS);
  if (days >= 0)
    return !reminded.isDueSoonSent && days <= limits.reminderDaysBeforeDue
      ? { kind: 'dueSoon', number: 1, days }
      : null;
  const from = overdueFrom(dueDay, reminded, limits);
  return from !== null && today >= from
    ? { kind: 'overdue', number: reminded.overdueSent + 1, days: -days }
    : null;
};
