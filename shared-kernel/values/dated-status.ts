/** What a rule of the shop is, that is switched on and off and has dates. */
export type DatedStatus = 'Draft' | 'Active' | 'Scheduled' | 'Expired' | 'Disabled';

/** Instants are ISO texts in UTC: they compare. Both are the rule's own. */
export interface Dates {
  readonly startsAt: string;
  readonly endsAt: string | null;
}

export interface Dated extends Dates {
  readonly status: DatedStatus;
}

/** What the dates of a rule that is switched on make of its status (docs/rules/discounts.md#status). */
export const statusByDates = ({ startsAt, endsAt }: Dates, at: string): DatedStatus => {
  if (startsAt > at) return 'Scheduled';
  return endsAt !== null && endsAt < at ? 'Expired' : 'Active';
};

/** From when until when a rule is in force while it is on, in milliseconds. */
export const periodOf = ({ startsAt, endsAt }: Dates): { readonly from: number; readonly until: number } => ({
  from: Date.parse(startsAt),
  until: endsAt === null ? Infinity : Date.parse(endsAt),
});

/** When its dates ask for another status; null for one that is switched off, or over, or has no end. */
export const changesAt = (rule: Dates, status: DatedStatus): number | null => {
  const { from, until } = periodOf(rule);
  if (status === 'Scheduled') return from;
  return status === 'Active' && until < Infinity ? until + 1 : null;
};
