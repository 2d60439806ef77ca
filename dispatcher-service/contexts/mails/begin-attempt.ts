import { isoInstant } from '#kernel/clock.ts';
import type { MailDelivery } from '#mails/mail-delivery.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { applyPatch } from '#ports/document-rules.ts';
import { beginAttempt, type Transition } from '#topics/delivery-steps.ts';
import { claimMail, getMail } from './mail-rows.ts';

/** A mail that is being tried, and how the steps of its attempt are recorded. */
export interface Begun {
  readonly mail: MailDelivery;
  readonly recorded: (step: Transition) => Transition;
  /** Its row says that it is under way. */
  readonly isClaimed: boolean;
}

/** Begins an attempt of a mail that is due; null when there is nothing to do. Errors: `EngineUnavailable`. */
export type BeginAttempt = (mailId: string, now: number) => Promise<Begun | null>;

/** Of several workers one gets the mail. */
export const beginClaimed =
  (stateStore: DocumentStore): BeginAttempt =>
  async (mailId, now) => {
    const mail = await claimMail(stateStore, mailId, now);
    return mail && { mail, recorded: (step) => step, isClaimed: true };
  };

const isDue = ({ status, dueAt }: MailDelivery, now: number): boolean =>
  status === 'Pending' || (dueAt !== null && dueAt <= isoInstant(now));

/**
 * Where no other worker can take the mail, and the mailer makes one of two that are the same: beginning and outcome are
 * recorded at once. A kill in between leaves the row as it was, and the next process makes the attempt.
 */
export const beginUnclaimed =
  (stateStore: DocumentStore): BeginAttempt =>
  async (mailId, now) => {
    const row = await getMail(stateStore, mailId);
    if (row === null || !isDue(row, now)) return null;
    const beginning = beginAttempt(now);
    const mail = applyPatch(row, beginning);
    const { _id, status, attemptNumber } = row;
    const recorded = ({ patch }: Transition): Transition => ({
      when: { _id, status, attemptNumber },
      patch: { set: { ...beginning.set, attemptNumber: mail.attemptNumber, ...patch.set } },
    });
    return { mail, recorded, isClaimed: false };
  };
