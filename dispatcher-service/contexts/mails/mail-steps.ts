import { isoInstant } from '#kernel/clock.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { SentMail } from '#ports/mailer.ts';
import { heldBy, retryDelayMs, sendAgain, type Transition } from '#topics/delivery-steps.ts';
import type { MailDelivery } from '#mails/mail-delivery.ts';

/** The part of section `Mail` that a mail's attempts depend on (docs/rules/mail-deliveries.md#attempts). */
export interface MailAttemptSettings {
  /** Tries after the first. */
  readonly maxRetries: number;
  readonly retryDelaysSeconds: readonly number[];
}

/** What the row keeps beside the outcome: what it says and is about, which the first attempt has found out. */
const kept = ({ sealed, entityType, entityId }: MailDelivery): Partial<MailDelivery> => ({
  sealed,
  entityType,
  entityId,
});

/** Of a mail that may open an account nothing is left, once it is done with, but that there was one. */
const keptAtEnd = (mail: MailDelivery): Partial<MailDelivery> => ({
  ...kept(mail),
  ...(mail.isSecret && { sealed: null }),
});

const end = (
  mail: MailDelivery,
  status: 'Succeeded' | 'Failed' | 'Abandoned',
  errorMessage: string | null,
  now: number,
): Partial<MailDelivery> => ({
  status,
  dateCompleted: isoInstant(now),
  errorMessage,
  ...keptAtEnd(mail),
});

const afterOutcome = (
  mail: MailDelivery,
  outcome: SentMail,
  { maxRetries, retryDelaysSeconds }: MailAttemptSettings,
  now: number,
): Partial<MailDelivery> => {
  if (outcome.kind === 'sent') return end(mail, 'Succeeded', null, now);
  const { kind, reason } = outcome;
  if (kind === 'refused' || mail.attemptNumber > maxRetries) return end(mail, 'Failed', reason, now);
  const dueAt = isoInstant(now + retryDelayMs(mail.attemptNumber, retryDelaysSeconds));
  return { status: 'Retrying', nextRetryUtc: dueAt, dueAt, errorMessage: reason, ...kept(mail) };
};

/** After an attempt: sent, to be tried again after the delay that the settings name, or failed. */
export const afterAttempt = (
  mail: MailDelivery,
  outcome: SentMail,
  durationMs: number,
  settings: MailAttemptSettings,
  now: number,
): Transition => ({
  when: heldBy(mail),
  patch: { set: { ...afterOutcome(mail, outcome, settings, now), durationMs: Math.round(durationMs) } },
});

/** No attempt would be of use: what it says cannot be read, or names no recipient. */
export const fail = (mail: MailDelivery, reason: string, now: number): Transition => ({
  when: heldBy(mail),
  patch: { set: end(mail, 'Failed', reason, now) },
});

/** What it was to say has been overtaken. */
export const abandon = (mail: MailDelivery, reason: string, now: number): Transition => ({
  when: heldBy(mail),
  patch: { set: end(mail, 'Abandoned', reason, now) },
});

/** Sends a mail once more at once; the number of attempts stays. Throws `invalid-request` for any other. */
export const retryByHand = (mail: MailDelivery, now: number, retriedBy: string): Transition => {
  const { status, isSecret } = mail;
  if (status !== 'Failed' && status !== 'Retrying')
    throw new Rejection(
      'invalid-request',
      `Only a mail that failed can be sent again; this one is ${status}.`,
    );
  if (status === 'Failed' && isSecret)
    throw new Rejection(
      'invalid-request',
      'This mail opened an account, and its text is gone. Its recipient can request another.',
    );
  return sendAgain(mail, now, retriedBy);
};
