import { creditWarningLevel, availableCredit } from '#values/account-terms.ts';
import { aged, nothingAged } from '#values/ageing.ts';
import { formatMoney } from '#values/money.ts';
import { neverReminded, afterReminder, reminderDue } from '#values/reminders.ts';
import { table } from './vector.ts';

const money = (amount: number): string => formatMoney(amount, 'GBP');

type Owed = readonly [dayDue: string, amount: number];

/** Everything as of 1 July 2026. */
export const ageing = table(
  'What is owed by age, seen on 1 July',
  'docs/rules/account-terms.md#ageing',
  (...owed: readonly Owed[]) => {
    const { current, thirtyPlus, sixtyPlus, ninetyPlus, total } = owed.reduce(
      (ageing, [dayDue, amount]) => aged(ageing, amount, dayDue, '2026-07-01'),
      nothingAged,
    );
    return [current, thirtyPlus, sixtyPlus, ninetyPlus, total].map(money).join(' ');
  },
  [
    ['10.00 due 15 July', '£10.00 £0.00 £0.00 £0.00 £10.00', ['2026-07-15', 1000]],
    ['10.00 due 1 June (30 days)', '£10.00 £0.00 £0.00 £0.00 £10.00', ['2026-06-01', 1000]],
    ['10.00 due 31 May (31 days)', '£0.00 £10.00 £0.00 £0.00 £10.00', ['2026-05-31', 1000]],
    ['10.00 due 2 May (60 days)', '£0.00 £10.00 £0.00 £0.00 £10.00', ['2026-05-02', 1000]],
    ['10.00 due 1 May (61 days)', '£0.00 £0.00 £10.00 £0.00 £10.00', ['2026-05-01', 1000]],
    ['10.00 due 2 April (90 days)', '£0.00 £0.00 £10.00 £0.00 £10.00', ['2026-04-02', 1000]],
    ['10.00 due 1 April (91 days)', '£0.00 £0.00 £0.00 £10.00 £10.00', ['2026-04-01', 1000]],
    [
      '0.01, 0.02, 0.03 and 0.04, each a month older',
      '£0.01 £0.02 £0.03 £0.04 £0.10',
      ['2026-06-30', 1],
      ['2026-05-15', 2],
      ['2026-04-15', 3],
      ['2026-02-15', 4],
    ],
  ],
);

export const credit = table(
  'Credit: what is left of it, and the warning',
  'docs/rules/account-terms.md#outstanding',
  (creditLimit: number | null, outstanding: number) => {
    const left = availableCredit({ creditLimit, outstanding });
    return `${left === null ? 'any amount' : money(left)}, ${creditWarningLevel({ creditLimit, outstanding })}`;
  },
  [
    ['79.99 of 100.00', '£20.01, ok', 10_000, 7999],
    ['80.00 of 100.00', '£20.00, warning', 10_000, 8000],
    ['100.00 of 100.00', '£0.00, warning', 10_000, 10_000],
    ['100.01 of 100.00', '£0.00, exceeded', 10_000, 10_001],
    ['900.00 without limit', 'any amount, ok', null, 90_000],
  ],
);

const usual = { reminderDaysBeforeDue: 7, overdueReminderIntervalDays: 7, maxOverdueReminders: 3 };

/** Of an invoice that is due on 31 March. */
export const reminders = table(
  'Reminders of an invoice that is due on 31 March',
  'docs/rules/account-terms.md#reminders',
  (...days: readonly string[]) => {
    let reminded = neverReminded;
    const sent = days.flatMap((day) => {
      const reminder = reminderDue(day, '2026-03-31', reminded, usual);
      if (!reminder) return [];
      reminded = afterReminder(reminded, reminder, day);
      return [`${day.slice(5)} ${reminder.kind} ${reminder.number}`];
    });
    return sent.join(', ') || 'none';
  },
  [
    ['run on 23 March', 'none', '2026-03-23'],
    ['run on 24 and 25 March', '03-24 dueSoon 1', '2026-03-24', '2026-03-25'],
    ['run on 31 March and 1 April', '03-31 dueSoon 1, 04-01 overdue 1', '2026-03-31', '2026-04-01'],
    [
      'run on 1, 7, 8, 15 and 22 April',
      '04-01 overdue 1, 04-08 overdue 2, 04-15 overdue 3',
      ...['2026-04-01', '2026-04-07', '2026-04-08', '2026-04-15', '2026-04-22'],
    ],
  ],
);
