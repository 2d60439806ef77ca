import type { Forgotten } from '#contracts/forgetting.contract.ts';
import { STORED_ANSWERS_MILLISECONDS } from '#command/engine/idempotency.ts';
import { isoInstant } from '#kernel/clock.ts';
import { KNOWN_KEYS_MILLISECONDS } from '#log/subject-keys.ts';
import type { ForgottenPerson } from '../customer.commands.ts';

const after = (instant: string, milliseconds: number): string =>
  isoInstant(Date.parse(instant) + milliseconds);

const DAY = 86_400_000;
/** The job `rewrite-stores` comes once a day. */
const LARGE_FILES_MILLISECONDS = DAY;

/** For how many days deliveries of webhooks and mails are kept. */
export interface KeptDays {
  readonly deliveries: number;
}

/** docs/rules/forgetting.md#remains */
const remainsOf = (at: string | null, kept: KeptDays): Forgotten['remains'] => [
  {
    what: 'backups',
    description: 'Backups made before hold keys and data. Delete them, or forget again after restoring one.',
    untilUtc: null,
  },
  {
    what: 'storedAnswers',
    description:
      'Answers kept for repeated requests are sealed under the keys that are gone, and are deleted then.',
    untilUtc: at && after(at, STORED_ANSWERS_MILLISECONDS),
  },
  {
    what: 'knownKeys',
    description: 'Another replica that has lost touch with the log may know a key until then.',
    untilUtc: at && after(at, KNOWN_KEYS_MILLISECONDS),
  },
  {
    what: 'largeFiles',
    description:
      'A database file of more than 64 MB may hold copies between two records until the job rewrite-stores has run.',
    untilUtc: at && after(at, LARGE_FILES_MILLISECONDS),
  },
  {
    what: 'mailsToOthers',
    description:
      'Mails to others that name the person, such as an order to a supplier, where mails are kept as files in ' +
      'DATA_DIR/mails. Delete them by hand.',
    untilUtc: null,
  },
  {
    what: 'formerRows',
    description:
      'Deliveries of webhooks and mails that a former release kept in clear, if any, until their time is up.',
    untilUtc: at && after(at, kept.deliveries * DAY),
  },
  {
    what: 'formerEvents',
    description:
      'Why staff cancelled an order, where a former release recorded it: in clear in the log, and shown nowhere.',
    untilUtc: null,
  },
  {
    what: 'sentOut',
    description:
      'What was exported, mailed, or sent to receivers of webhooks and to providers is out of reach. Tell them.',
    untilUtc: null,
  },
];

export const forgottenResponse = ({ id, forgottenAt }: ForgottenPerson, kept: KeptDays): Forgotten => ({
  success: true,
  id,
  status: forgottenAt === null ? 'InProgress' : 'Forgotten',
  forgottenAtUtc: forgottenAt,
  message:
    forgottenAt === null
      ? 'The forgetting has begun and goes on by itself: a payment provider, or an order, is still waited for.'
      : 'Nothing in the shop says any more who this was.',
  remains: remainsOf(forgottenAt, kept),
});
