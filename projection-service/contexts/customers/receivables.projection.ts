import { projection, type Document, type Figures } from '#kernel/projection.ts';
import type { Minor } from '#values/money.ts';
import {
  receivableChange,
  withReceivable,
  type ByDueDay,
  type OutstandingSum,
  type OwingEvent,
} from './receivable-change.ts';

/** Stands for the day of what has no due date; never before any day. */
const NO_DUE_DAY = 'none';

/**
 * What was added on one recorded day (UTC, `YYYY-MM-DD`), its id; negative where something was paid or taken back. All
 * days up to one come to what was owed at its end.
 */
export interface ReceivablesDay extends Document {
  readonly byDueDay: ByDueDay;
}

const AMOUNT = 'amount:';
const INVOICES = 'invoices:';

/** The sums of all recorded days: what is owed now. */
const counters = ({ byDueDay }: ReceivablesDay): Figures =>
  Object.fromEntries(
    Object.entries(byDueDay).flatMap(([day, { amount, invoices }]) => [
      [AMOUNT + day, amount],
      [INVOICES + day, invoices],
    ]),
  );

const afterChange = (document: ReceivablesDay | null, event: OwingEvent, key: string): ReceivablesDay => {
  const { dueDay, ...change } = receivableChange(event);
  return { _id: key, byDueDay: withReceivable(document?.byDueDay ?? {}, dueDay ?? NO_DUE_DAY, change) };
};

/** What all customers owe, as their streams say it: by recorded day and due day (docs/rules/orders.md#statistics). */
export const receivablesProjection = projection<OwingEvent>()<ReceivablesDay>({
  name: 'receivables',
  version: 1,
  indexes: [],
  counters,
  keys: ({ recordedAt }) => [recordedAt.slice(0, 10)],
  on: { CustomerCreditClaimed: afterChange, CustomerOutstandingChanged: afterChange },
});

/** What is still to be paid. Store currency. */
export interface Receivables {
  readonly count: number;
  readonly value: Minor;
  /** How many were due on an earlier day than today. */
  readonly overdue: number;
}

type Change = readonly [dueDay: string, OutstandingSum];

/** What changes come to on a day. */
const receivablesOn = (today: string, changes: readonly Change[]): Receivables => {
  const sum = { count: 0, value: 0, overdue: 0 };
  for (const [dueDay, { amount, invoices }] of changes) {
    sum.value += amount;
    sum.count += invoices;
    if (dueDay < today) sum.overdue += invoices;
  }
  return sum;
};

/** What is owed now, from the counters of the view. */
export const receivablesNow = (today: string, figures: Figures): Receivables =>
  receivablesOn(
    today,
    Object.entries(figures).map(([name, value]): Change => {
      const dueDay = name.slice(name.indexOf(':') + 1);
      return [
        dueDay,
        name.startsWith(AMOUNT) ? { amount: value, invoices: 0 } : { amount: 0, invoices: value },
      ];
    }),
  );

/** What was owed at the end of the last of some recorded days, beginning with the first that there is. */
export const receivablesAfter = (today: string, days: readonly ReceivablesDay[]): Receivables =>
  receivablesOn(
    today,
    days.flatMap(({ byDueDay }) => Object.entries(byDueDay)),
  );
