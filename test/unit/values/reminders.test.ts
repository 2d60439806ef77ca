import { expect } from 'chai';
import {
  afterReminder,
  neverReminded,
  remindedFrom,
  reminderDue,
  type ReminderLimits,
} from '#values/reminders.ts';

const usual = { reminderDaysBeforeDue: 7, overdueReminderIntervalDays: 7, maxOverdueReminders: 3 };
const dueDay = '2026-03-31';

/** What goes out when the job runs on these days. */
const sent = (days: readonly string[], limits: ReminderLimits = usual): readonly string[] => {
  let reminded = neverReminded;
  return days.flatMap((today) => {
    const from = remindedFrom(dueDay, reminded, limits);
    const reminder = reminderDue(today, dueDay, reminded, limits);
    // Whoever looks from that day on misses none.
    if (reminder) expect(from !== null && from <= today, today).to.equal(true);
    if (!reminder) return [];
    reminded = afterReminder(reminded, reminder, today);
    return [`${today} ${reminder.kind} ${reminder.number} (${reminder.days})`];
  });
};

const everyDay = (from: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, day) =>
    new Date(Date.parse(from) + day * 86_400_000).toISOString().slice(0, 10),
  );

// docs/rules/account-terms.md#reminders
describe('Reminders of an invoice that is due on 31 March', () => {
  it('go out once before, and three times after, a week apart', () => {
    expect(sent(everyDay('2026-03-01', 90))).to.deep.equal([
      '2026-03-24 dueSoon 1 (7)',
      '2026-04-01 overdue 1 (1)',
      '2026-04-08 overdue 2 (8)',
      '2026-04-15 overdue 3 (15)',
    ]);
  });

  it('are sent on the last day still, if none was before', () => {
    expect(sent(['2026-03-31', '2026-03-31', '2026-04-01'])).to.deep.equal([
      '2026-03-31 dueSoon 1 (0)',
      '2026-04-01 overdue 1 (1)',
    ]);
  });

  it('make up for nothing after a job that did not run', () => {
    expect(sent(['2026-04-20', '2026-04-21', '2026-04-26', '2026-04-27'])).to.deep.equal([
      '2026-04-20 overdue 1 (20)',
      '2026-04-27 overdue 2 (27)',
    ]);
  });

  it('follow the settings of the shop', () => {
    const often = { reminderDaysBeforeDue: 0, overdueReminderIntervalDays: 1, maxOverdueReminders: 1 };
    expect(sent(everyDay('2026-03-28', 10), often)).to.deep.equal([
      '2026-03-31 dueSoon 1 (0)',
      '2026-04-01 overdue 1 (1)',
    ]);
    expect(sent(['2026-04-01'], { ...usual, maxOverdueReminders: 0 })).to.deep.equal([]);
  });

  it('are looked for no more after the last one', () => {
    const reminded = { isDueSoonSent: true, overdueSent: 3, lastDay: '2026-04-15' };
    expect(remindedFrom(dueDay, reminded, usual)).to.equal(null);
  });
});
