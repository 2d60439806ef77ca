import { daysBetween } from './business-day.ts';
import type { Minor } from './money.ts';

/** What is owed by days past due: up to 30, up to 60, up to 90, more. Minor units of the store's currency. */
export interface Ageing {
  readonly current: Minor;
  readonly thirtyPlus: Minor;
  readonly sixtyPlus: Minor;
  readonly ninetyPlus: Minor;
  readonly total: Minor;
}

export const nothingAged: Ageing = { current: 0, thirtyPlus: 0, sixtyPlus: 0, ninetyPlus: 0, total: 0 };

const ageOf = (daysPastDue: number): Exclude<keyof Ageing, 'total'> => {
  if (daysPastDue <= 30) return 'current';
  if (daysPastDue <= 60) return 'thirtyPlus';
  return daysPastDue <= 90 ? 'sixtyPlus' : 'ninetyPlus';
};

/** With an amount that was due on a day, as it stands on another (docs/rules/account-terms.md#ageing). */
export const aged = (ageing: Ageing, amount: Minor, dayDue: string, on: string): Ageing => {
  const age = ageOf(daysBetween(dayDue, on));
  return { ...ageing, [age]: ageing[age] + amount, total: ageing.total + amount };
};
