import type { RecoveryLimits } from './abandoned-checkout.commands.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** When a checkout that was last active then counts as abandoned; milliseconds, as everywhere here. */
export const abandonmentDueAt = (lastActivityAt: number, { thresholdHours }: RecoveryLimits): number =>
  lastActivityAt + thresholdHours * HOUR;

interface Mailed {
  readonly abandonedAt: string;
  readonly mailsSent: number;
  readonly lastMailAt: string | null;
}

/** When the next mail is due; null: there is none left (docs/rules/abandoned-checkouts.md#mails). */
export const mailDueAt = (
  { abandonedAt, mailsSent, lastMailAt }: Mailed,
  { mailDelaysHours, maxMails }: RecoveryLimits,
): number | null => {
  const delay = mailDelaysHours[mailsSent];
  if (mailsSent >= maxMails || delay === undefined) return null;
  const first = Date.parse(abandonedAt) + mailDelaysHours[0] * HOUR;
  return lastMailAt === null || mailsSent === 0
    ? first
    : Math.max(first, Date.parse(lastMailAt) + delay * HOUR);
};

/** When an abandoned checkout cannot be won back any more. */
export const expiryDueAt = (
  { issuedAt }: { readonly issuedAt: string },
  { expiryDays }: Pick<RecoveryLimits, 'expiryDays'>,
): number => Date.parse(issuedAt) + expiryDays * DAY;
