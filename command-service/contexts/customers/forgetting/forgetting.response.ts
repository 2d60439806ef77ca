import type { Forgotten } from '#contracts/forgetting.contract.ts';
import { STORED_ANSWERS_MILLISECONDS } from '#command/engine/idempotency.ts';
import { isoInstant } from '#kernel/clock.ts';
import { KNOWN_KEYS_MILLISECONDS } from '#log/subject-keys.ts';
import type { ForgottenPerson } from '../customer.commands.ts';

const after = (instant: string, milliseconds: number): string =>
  isoInstant(Date.parse(instant) + milliseconds);

/** docs/rules/forgetting.md#remains */
const remainsOf = (at: string | null): Forgotten['remains'] => [
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
];

export const forgottenResponse = ({ id, forgottenAt }: ForgottenPerson): Forgotten => ({
  success: true,
  id,
  status: forgottenAt === null ? 'InProgress' : 'Forgotten',
  forgottenAtUtc: forgottenAt,
  message:
    forgottenAt === null
      ? 'The forgetting has begun and goes on by itself: a payment provider, or an order, is still waited for.'
      : 'Nothing in the shop says any more who this was.',
  remains: remainsOf(forgottenAt),
});
