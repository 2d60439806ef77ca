import { isoInstant } from '#kernel/clock.ts';
import { businessDay } from './business-day.ts';

const DAY_MILLISECONDS = 86_400_000;

/** When what is sold at an instant is to be paid (docs/rules/purchase-orders.md#due); null where no days are named. */
export const dueDateOf = (soldAt: string, paymentTermsDays: number | null): string | null =>
  paymentTermsDays === null ? null : isoInstant(Date.parse(soldAt) + paymentTermsDays * DAY_MILLISECONDS);

/** Calendar days of the shop's time zone up to a due date: 0 on the day itself, negative once it is overdue. */
export const daysUntil = (dueDate: string, now: number, timeZone: string): number =>
  (Date.parse(businessDay(Date.parse(dueDate), timeZone)) - Date.parse(businessDay(now, timeZone))) /
  DAY_MILLISECONDS;
