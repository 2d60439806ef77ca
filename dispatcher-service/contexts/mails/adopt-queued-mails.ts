import type { Logger } from 'pino';
import { isoInstant } from '#kernel/clock.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { START } from '#ports/event-store.ts';
import { textOfMail } from '#runtime/mail-rows.ts';
import { mailsCollection, ownMail, type MailDelivery } from '#mails/mail-delivery.ts';
import type { TextCipher } from '#values/text-cipher.ts';

/** A mail as releases before queued it, on its way or done with. */
interface OlderMail extends Document {
  readonly status: 'waiting' | 'sent' | 'failed';
  readonly content?: string;
  readonly attempts: number;
  /** The shop's milliseconds. */
  readonly dueAt: number;
  readonly createdAt: number;
}

interface OlderContent {
  readonly to: string | null;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface AdoptDeps {
  readonly stateStore: DocumentStore;
  /** Sealed what they say. */
  readonly cipher: Pick<TextCipher, 'open'>;
  readonly seal: (text: string) => string;
  readonly log: Pick<Logger, 'warn'>;
}

/** Where they stand, and nothing has been written since. */
const olderCollection = 'mails';
const PAGE = 500;

const contentOf = ({ to, ...said }: OlderContent): string =>
  textOfMail({ to: to === null ? [] : [to], cc: [], bcc: [], from: null, ...said, headers: {} });

/** Whoever was to get it can request another: staff see that this one never came. */
const unreadable = ({ dateCreated }: MailDelivery): Partial<MailDelivery> => ({
  ...{ status: 'Failed', dueAt: null, dateCompleted: dateCreated },
  errorMessage: 'What it says cannot be read any more: another key sealed it.',
});

const statuses = { waiting: 'Retrying', sent: 'Succeeded', failed: 'Failed' } as const;

const adopted = (
  { cipher, seal }: AdoptDeps,
  { _id, status, content, attempts, dueAt, createdAt }: OlderMail,
): MailDelivery => {
  const text = content === undefined ? null : cipher.open(content);
  const sealed = text === null ? null : seal(contentOf(JSON.parse(text) as OlderContent));
  const row = ownMail(_id, sealed, createdAt);
  if (status === 'waiting' && sealed === null) return { ...row, ...unreadable(row), attemptNumber: attempts };
  const due = status === 'waiting' ? isoInstant(dueAt) : null;
  return {
    ...row,
    status: status === 'waiting' && attempts === 0 ? 'Pending' : statuses[status],
    attemptNumber: attempts,
    dueAt: due,
    nextRetryUtc: attempts === 0 ? null : due,
    dateCompleted: status === 'waiting' ? null : row.dateCreated,
  };
};

/**
 * Takes over the mails of releases before, whatever became of them: those that wait go out under their ids, and what is
 * done with is not queued again. Repeatable, after a kill too. Returns how many there were.
 */
export const adoptQueuedMails = async (deps: AdoptDeps): Promise<number> => {
  const { stateStore } = deps;
  if (!(await stateStore.collections()).includes(olderCollection)) return 0;
  for (let count = 0; ;) {
    const page = await stateStore.find<OlderMail>(olderCollection, { sort: [['_id', 1]], limit: PAGE });
    const rows = page.map((older) => adopted(deps, older));
    await stateStore.write([
      // Before every event: where a kill has left both, the row stays as it is.
      ...rows.map((put) => ({ collection: mailsCollection, put, position: START })),
      ...page.map(({ _id }) => ({ collection: olderCollection, remove: _id })),
    ]);
    for (const { _id: mailId } of rows.filter(({ errorMessage }) => errorMessage !== null))
      deps.log.warn({ mailId }, 'a mail that an older release had queued cannot be read, and is not sent');
    count += page.length;
    if (page.length < PAGE) return count;
  }
};
