import type { Logger } from 'pino';
import type { Clock } from '#kernel/clock.ts';
import type { PersonalTexts } from '#log/personal-texts.ts';
import {
  hasRecoveryLink,
  isUnwritten,
  ownerOfMail,
  type MailContent,
  type MailDelivery,
} from '#mails/mail-delivery.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { Mail, Mailer, SentMail } from '#ports/mailer.ts';
import { mailOfText, textOfMail } from '#runtime/mail-rows.ts';
import { requeue, type Transition } from '#topics/delivery-steps.ts';
import type { Attempted } from '../../engine/receiver-queue.ts';
import { within } from '../../engine/within.ts';
import { abandon, afterAttempt, fail, type MailAttemptSettings } from './mail-steps.ts';
import type { Overtaken } from './overtaken.ts';
import type { MailWriter, Noticed } from './write-mail.ts';

export interface MailAttemptDeps {
  readonly stateStore: DocumentStore;
  readonly clock: Clock;
  readonly mailer: Pick<Mailer, 'send'>;
  readonly personalTexts: Pick<PersonalTexts, 'open' | 'sealFor'>;
  readonly writer: MailWriter;
  readonly overtaken: Overtaken;
  readonly settings: MailAttemptSettings;
  /** The sender of every mail that names no other. */
  readonly from: string;
  readonly log: Pick<Logger, 'debug' | 'warn'>;
}

export interface Recording {
  /** Takes a step that must not be lost. */
  readonly record: (transition: Transition) => Promise<unknown>;
  /** Keeps nothing of a mail that is for no one. */
  readonly drop: (mailId: string) => Promise<unknown>;
  /** Resolves when outcomes are recorded together. */
  readonly together: () => Promise<void> | undefined;
}

/** A mail is ours while it is attempted. */
type Made = Exclude<Attempted, 'lost'>;

/** Of real time; longer than a mailer takes that keeps its promise. */
const PATIENCE_MILLISECONDS = 40_000;
const unreadable =
  'What it says cannot be read any more: its recipient is forgotten, or another key sealed it.';
const unwritable: SentMail = {
  kind: 'unavailable',
  reason: 'it could not be written: the log of the process says why',
};
const tooSlow: SentMail = { kind: 'unavailable', reason: 'the mail server took too long' };

const mailOf = (mail: MailDelivery, { to, cc, bcc, from, ...said }: MailContent, sender: string): Mail => {
  const { _id: id, dateCreated } = mail;
  return { id, to, cc, bcc, from: from ?? sender, ...said, dateCreated, ownerId: ownerOfMail(mail) };
};

const factsOf = ({ _id: mailId, configurationId, topic, attemptNumber }: MailDelivery) => ({
  mailId,
  configurationId,
  topic,
  attemptNumber,
});

const patiently = async (sending: Promise<SentMail>): Promise<SentMail> => {
  let outcome: SentMail | null = null;
  const waiting = sending.then((sent) => {
    outcome = sent;
  });
  await within(PATIENCE_MILLISECONDS, waiting);
  return outcome ?? tooSlow;
};

/** Hands a mail to the server, and records what came of it. */
const createHand =
  ({ mailer, settings, from, clock, log }: MailAttemptDeps, { record, together }: Recording) =>
  async (mail: MailDelivery, content: MailContent): Promise<Made> => {
    const begun = performance.now();
    const outcome = await patiently(mailer.send(mailOf(mail, content, from)));
    const milliseconds = performance.now() - begun;
    await together();
    await record(afterAttempt(mail, outcome, milliseconds, settings, clock.now()));
    const facts = { ...factsOf(mail), milliseconds };
    if (outcome.kind === 'sent') log.debug(facts, 'mail sent');
    else log.warn({ ...facts, reason: outcome.reason }, 'a mail could not be sent');
    // A mail that is refused tells nothing about the server.
    return outcome.kind === 'unavailable' ? 'failed' : 'succeeded';
  };

/**
 * One attempt: hand the mail to the server, then record the outcome if the attempt is still ours. Between the two a
 * kill leaves a mail that is sent again under the same id (docs/rules/mail-deliveries.md#once).
 */
export const createAttempt = (deps: MailAttemptDeps, recording: Recording) => {
  const { clock, personalTexts, writer, overtaken, settings, log } = deps;
  const { record } = recording;
  const hand = createHand(deps, recording);

  const drop = async ({ _id }: MailDelivery): Promise<'succeeded'> => {
    await recording.drop(_id);
    return 'succeeded';
  };
  const giveUp = async (mail: MailDelivery, reason: string): Promise<'succeeded'> => {
    await record(fail(mail, reason, clock.now()));
    log.warn({ ...factsOf(mail), reason }, 'a mail cannot be sent');
    return 'succeeded';
  };

  /** The row keeps what is written for it with the outcome, so that every further attempt sends the same. */
  const writeAndHand = async (mail: MailDelivery, { notification, ...about }: Noticed): Promise<Made> => {
    const written = await writer.write(mail, notification);
    if (written.kind === 'failed') return giveUp({ ...mail, ...about }, written.reason);
    const subjects = mail.subject === null ? [] : [mail.subject];
    const sealed = await personalTexts.sealFor(subjects, textOfMail(written.content));
    if (sealed === null) return giveUp({ ...mail, ...about }, unreadable);
    return hand({ ...mail, ...about, sealed }, written.content);
  };

  const attempt = async (mail: MailDelivery): Promise<Made> => {
    // A link that leads back to a basket is the one that holds at each attempt.
    const isWritten = mail.sealed !== null && !hasRecoveryLink(mail);
    const noticed = isWritten || mail.position === null ? null : await writer.notice(mail);
    // Its event has nothing to say under its topic: no mail was due.
    if (mail.sealed === null && noticed === null) return drop(mail);
    const reason = await overtaken(mail);
    if (reason !== null) {
      await record(abandon(mail, reason, clock.now()));
      return 'succeeded';
    }
    if (noticed) return writeAndHand(mail, noticed);
    const text = mail.sealed === null ? null : await personalTexts.open(mail.sealed);
    if (text === null) return giveUp(mail, unreadable);
    const kept = mailOfText(text);
    if (!isUnwritten(kept)) return kept.to.length === 0 ? drop(mail) : hand(mail, kept);
    const { notification } = kept;
    if (notification === null) return drop(mail);
    return writeAndHand(mail, { notification, entityType: null, entityId: null });
  };

  return async (mail: MailDelivery): Promise<Made> => {
    try {
      return await attempt(mail);
    } catch (error) {
      const now = clock.now();
      // Nothing was handed over: an outcome is recorded until it is kept.
      if (error instanceof EngineUnavailable) {
        await record(requeue(mail, now));
        throw error;
      }
      log.warn({ ...factsOf(mail), err: error }, 'a mail could not be written');
      await record(afterAttempt(mail, unwritable, 0, settings, now));
      return 'succeeded';
    }
  };
};
