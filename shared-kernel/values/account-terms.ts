import { isoInstant } from '#kernel/clock.ts';
import { businessDay } from './business-day.ts';
import { scale, type Minor } from './money.ts';

const DAY_MILLISECONDS = 86_400_000;

/** When what is sold at an instant is to be paid (docs/rules/purchase-orders.md#due); null where no days are named. */
export const dueDateOf = (soldAt: string, paymentTermsDays: number | null): string | null =>
  paymentTermsDays === null ? null : isoInstant(Date.parse(soldAt) + paymentTermsDays * DAY_MILLISECONDS);

/** Calendar days of the shop's time zone up to a due date: 0 on the day itself, negative once it is overdue. */
export const daysUntil = (dueDate: string, now: number, timeZone: string): number =>
  (Date.parse(businessDay(Date.parse(dueDate), timeZone)) - Date.parse(businessDay(now, timeZone))) /
  DAY_MILLISECONDS;

/** What a customer owes, and may owe at most; null: without limit. Minor units of the store's currency. */
export interface CreditUse {
  readonly creditLimit: Minor | null;
  readonly outstanding: Minor;
}

/** Exactly the limit is within it. */
export const isOverLimit = ({ creditLimit, outstanding }: CreditUse): boolean =>
  creditLimit !== null && outstanding > creditLimit;

/** What may still be bought on account, never below 0; null: without limit. */
export const availableCredit = ({ creditLimit, outstanding }: CreditUse): Minor | null =>
  creditLimit === null ? null : Math.max(0, creditLimit - outstanding);

/** From here on staff are warned. */
const WARNED_FROM_PERCENT = 80;

/** How much of the limit is used, in percent with two decimals; null: without limit. */
export const creditUtilization = ({ creditLimit, outstanding }: CreditUse): number | null => {
  if (creditLimit === null) return null;
  if (creditLimit === 0) return outstanding > 0 ? 100 : 0;
  return scale(10_000, outstanding, creditLimit) / 100;
};

export const creditWarningLevel = (use: CreditUse): 'exceeded' | 'warning' | 'ok' => {
  if (isOverLimit(use)) return 'exceeded';
  return (creditUtilization(use) ?? 0) >= WARNED_FROM_PERCENT ? 'warning' : 'ok';
};
