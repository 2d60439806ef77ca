import { abandonmentDueAt, expiryDueAt, mailDueAt } from './recovery-times.ts';
import type { RecoveryLimits } from './abandoned-checkout.commands.ts';

/** What of an abandoned checkout says when something is due. */
export interface Abandonment {
  readonly abandonedAt: string;
  readonly mailsSent: number;
  readonly lastMailAt: string | null;
  readonly issuedAt: string;
}

/** A checkout with a known e-mail address that is not over. */
export interface CheckoutEntry {
  readonly basketId: string;
  /** When the e-mail address was first seen; milliseconds, like all instants here. */
  readonly openedAt: number;
  readonly activityAt: number;
  /** Revisions of the basket's stream: of the last activity, and of the last event. */
  readonly activityRevision: number;
  readonly revision: number;
  /** When anything last happened to it or to its record. */
  readonly touchedAt: number;
  /** Whether its record may have a stream, which begins with the first abandonment. */
  readonly mayHaveRecord: boolean;
  /**
   * `gone`: abandoned, and its basket is gone since. `resting`: recovered or expired, and nothing is due until there is
   * news.
   */
  readonly stage: 'active' | 'abandoned' | 'gone' | 'resting';
  readonly abandonment: Abandonment | null;
  /** Something has happened in its basket that its record is to be told at once. */
  readonly hasNews: boolean;
  readonly soldInvoiceId: string | null;
}

/** When an entry expires; null: it is not abandoned. */
export const expiryOf = ({ stage, abandonment }: CheckoutEntry, limits: RecoveryLimits): number | null =>
  abandonment !== null && (stage === 'abandoned' || stage === 'gone')
    ? expiryDueAt(abandonment, limits)
    : null;

/** When something is due for an entry; null: nothing is until it changes. */
export const dueAtOf = (entry: CheckoutEntry, limits: RecoveryLimits): number | null => {
  const { stage, activityAt, abandonment } = entry;
  if (stage === 'active') return abandonmentDueAt(activityAt, limits);
  const expiry = expiryOf(entry, limits);
  if (expiry === null || abandonment === null || stage === 'gone') return expiry;
  return Math.min(mailDueAt(abandonment, limits) ?? expiry, expiry);
};

const NONE = '-';
const stages = ['active', 'abandoned', 'gone', 'resting'] as const;

/** What a snapshot keeps: a string is written and read many times faster than an object. */
export const lineOf = (entry: CheckoutEntry): string => {
  const { openedAt, activityAt, touchedAt, activityRevision, revision, abandonment, soldInvoiceId } = entry;
  const { abandonedAt = NONE, mailsSent = 0, lastMailAt, issuedAt = NONE } = abandonment ?? {};
  return [
    ...[openedAt, activityAt, touchedAt, activityRevision, revision].map((number) => number.toString(36)),
    stages.indexOf(entry.stage),
    (entry.mayHaveRecord ? 1 : 0) + (entry.hasNews ? 2 : 0),
    soldInvoiceId ?? NONE,
    ...[abandonedAt, mailsSent, lastMailAt ?? NONE, issuedAt],
  ].join(' ');
};

const textOf = (part: string | undefined): string | null =>
  part === undefined || part === NONE ? null : part;

export const entryOf = (basketId: string, line: string): CheckoutEntry => {
  const parts = line.split(' ');
  const [openedAt = 0, activityAt = 0, touchedAt = 0, activityRevision = 0, revision = 0] = parts
    .slice(0, 5)
    .map((part) => Number.parseInt(part, 36));
  const [stage, flags, soldInvoiceId, abandonedAt, mailsSent, lastMailAt, issuedAt] = parts.slice(5);
  const abandoned = textOf(abandonedAt);
  const abandonment = abandoned === null ? null : { abandonedAt: abandoned };
  return {
    ...{ basketId, openedAt, activityAt, touchedAt, activityRevision, revision },
    stage: stages[Number(stage)] ?? 'active',
    mayHaveRecord: (Number(flags) & 1) === 1,
    hasNews: (Number(flags) & 2) === 2,
    soldInvoiceId: textOf(soldInvoiceId),
    abandonment: abandonment && {
      ...abandonment,
      mailsSent: Number(mailsSent),
      lastMailAt: textOf(lastMailAt),
      issuedAt: textOf(issuedAt) ?? abandonment.abandonedAt,
    },
  };
};
