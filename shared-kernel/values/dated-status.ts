/** What a rule of the shop is, that is switched on and off and has dates. */
export type DatedStatus = 'Draft' | 'Active' | 'Scheduled' | 'Expired' | 'Disabled';

/** Instants are ISO texts in UTC: they compare. Both are the rule's own. */
interface Dates {
  readonly startsAt: string;
  readonly endsAt: string | null;
}

/** What the dates of a rule that is switched on make of its status (docs/rules/discounts.md#status). */
export const statusByDates = ({ startsAt, endsAt }: Dates, at: string): DatedStatus => {
  if (startsAt > at) return 'Scheduled';
  return endsAt !== null && endsAt < at ? 'Expired' : 'Active';
};

/** When its dates ask for another status; null for one that is switched off, or over, or has no end. */
export const changesAt = (rule: Dates, status: DatedStatus): number | null => {
  if (status === 'Scheduled') return Date.parse(rule.startsAt);
  return status === 'Active' && rule.endsAt !== null ? Date.parse(rule.endsAt) + 1 : null;
};
