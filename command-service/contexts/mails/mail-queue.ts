import type { Logger } from 'pino';
import { isoInstant, type Clock } from '#kernel/clock.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { Mailer } from '#ports/mailer.ts';
import { pause } from '#runtime/back-off.ts';
import type { TextCipher } from '#values/text-cipher.ts';
import type { MailsApi, WrittenMail } from './mail.commands.ts';

/** A mail on its way; once it is sent or given up, only that it was. */
interface QueuedMail extends Document {
  readonly status: 'waiting' | 'sent' | 'failed';
  /** Sealed: links in mails open accounts. */
  readonly content?: string;
  readonly attempts: number;
  /** When it is to be tried, in the shop's milliseconds; moved on before a try, which is its claim. */
  readonly dueAt: number;
  readonly createdAt: number;
}

export interface MailQueueOptions {
  readonly stateStore: DocumentStore;
  readonly clock: Clock;
  readonly mailer: Mailer;
  readonly cipher: TextCipher;
  /** The sender of all mails. */
  readonly from: string;
  /** Tries after the first, and the pauses before them; the last one stays. */
  readonly maxRetries: number;
  readonly retryDelaysSeconds: readonly number[];
  readonly log: Pick<Logger, 'warn'>;
}

export interface MailQueue extends MailsApi {
  /** Sends what is due; the number of mails that were tried. */
  sendDue(): Promise<number>;
  /** Forgets mails that were done with before an instant, in milliseconds. */
  purge(before: number): Promise<number>;
  /** Sends what this process has queued and waits for it; false when that takes longer than `timeoutMs`, real time. */
  idle(timeoutMs: number): Promise<boolean>;
}

const collection = 'mails';
/** Longer than a mailer takes: a mail whose sender was killed comes due again then. */
const CLAIM_MILLISECONDS = 60_000;
const WAKE_MILLISECONDS = 300;
const TAKEN_TOGETHER = 50;
const PURGED_TOGETHER = 1000;

type Outcome = 'sent' | 'failed' | 'later';

const sendOne = async (
  { stateStore, clock, mailer, cipher, from, maxRetries, retryDelaysSeconds, log }: MailQueueOptions,
  { _id, content = '', dueAt, createdAt }: QueuedMail,
): Promise<Outcome | null> => {
  const isAsRead = { _id, status: 'waiting', dueAt };
  const claim = { set: { dueAt: clock.now() + CLAIM_MILLISECONDS }, increment: { attempts: 1 } };
  const claimed = await stateStore.updateIf<QueuedMail>(collection, isAsRead, claim);
  // Another process is at it.
  if (!claimed) return null;
  const opened = cipher.open(content);
  const finish = async (status: 'sent' | 'failed'): Promise<Outcome> => {
    await stateStore.updateIf(collection, { _id }, { set: { status }, unset: ['content'] });
    return status;
  };
  const written = opened === null ? undefined : (JSON.parse(opened) as WrittenMail);
  if (written === undefined) {
    log.warn({ mail: _id }, 'a mail was sealed with another application key, and is given up');
    return finish('failed');
  }
  const { to } = written;
  if (to === null) return finish('sent');
  const outcome = await mailer.send({ id: _id, from, ...written, to, dateCreated: isoInstant(createdAt) });
  if (outcome.kind === 'sent') return finish('sent');
  const { reason } = outcome;
  if (outcome.kind === 'refused' || claimed.attempts > maxRetries) {
    log.warn({ mail: _id, reason, attempts: claimed.attempts }, 'a mail could not be sent, and is given up');
    return finish('failed');
  }
  const delay = retryDelaysSeconds[claimed.attempts - 1] ?? retryDelaysSeconds.at(-1) ?? 0;
  await stateStore.updateIf(collection, { _id }, { set: { dueAt: clock.now() + delay * 1000 } });
  log.warn({ mail: _id, reason, attempts: claimed.attempts }, 'a mail could not be sent yet');
  return 'later';
};

const purge = async (stateStore: DocumentStore, before: number): Promise<number> => {
  let removed = 0;
  for (const status of ['sent', 'failed'] as const) {
    const filter = { status, createdAt: { lt: before } };
    for (let last = -1; last !== 0; removed += last)
      last = await stateStore.deleteMany(collection, filter, PURGED_TOGETHER);
  }
  return removed;
};

const dueMails = ({ stateStore, clock }: MailQueueOptions): Promise<readonly QueuedMail[]> =>
  stateStore.find<QueuedMail>(collection, {
    filter: { status: 'waiting', dueAt: { lte: clock.now() } },
    sort: [['dueAt', 1]],
    limit: TAKEN_TOGETHER,
  });

/**
 * Mails on their way out, in the state store, so that a kill loses none and two processes send none twice
 * (docs/rules/members.md#mails). Declares its collection: call it once at start.
 */
export const createMailQueue = async (options: MailQueueOptions): Promise<MailQueue> => {
  const { stateStore, clock, cipher, log } = options;
  await stateStore.declare(collection, [
    { fields: ['status', 'dueAt'] },
    { fields: ['status', 'createdAt'] },
  ]);
  let underWay: Promise<number> | null = null;
  let isWanted = false;
  let timer: NodeJS.Timeout | null = null;

  const sendAllDue = async (): Promise<number> => {
    let tried = 0;
    for (;;) {
      isWanted = false;
      const due = await dueMails(options);
      for (const mail of due) if ((await sendOne(options, mail)) !== null) tried++;
      if (due.length === 0 && !isWanted) return tried;
    }
  };

  const sendDue = (): Promise<number> => {
    isWanted = true;
    underWay ??= sendAllDue().finally(() => {
      underWay = null;
    });
    return underWay;
  };

  const wake = (): void => {
    // Not while the request is still being answered: its time must not tell whether there was anything to send.
    timer ??= setTimeout(() => {
      timer = null;
      sendDue().catch((err: unknown) => {
        log.warn({ err }, 'mails are sent later: the state store does not answer');
      });
    }, WAKE_MILLISECONDS).unref();
  };
  const sendNow = async (): Promise<void> => {
    if (timer === null) return;
    clearTimeout(timer);
    timer = null;
    await sendDue();
  };

  return {
    send: async (id, mail) => {
      const now = clock.now();
      const content = cipher.seal(JSON.stringify(mail));
      const queued = { _id: id, status: 'waiting', content, attempts: 0, dueAt: now, createdAt: now };
      if (await stateStore.insertIfAbsent(collection, queued)) wake();
    },
    sendDue,
    purge: (before) => purge(stateStore, before),
    idle: async (timeoutMs) => {
      const waiting = new AbortController();
      const sent = Promise.all([sendNow(), underWay]).catch(() => null);
      await Promise.race([sent, pause(timeoutMs, waiting.signal)]);
      waiting.abort();
      return underWay === null && timer === null;
    },
  };
};
