import { isoInstant } from '#kernel/clock.ts';
import type { MailDelivery } from '#mails/mail-delivery.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { Transition } from '#topics/delivery-steps.ts';
import { beginUnclaimed } from '../../engine/unclaimed-attempt.ts';
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

/** For a mailer that makes one of two mails that are the same, where no other worker can take the mail. */
export const beginHere =
  (stateStore: DocumentStore): BeginAttempt =>
  async (mailId, now) => {
    const before = await getMail(stateStore, mailId);
    if (before === null || !isDue(before, now)) return null;
    const { row: mail, recorded } = beginUnclaimed(before, now);
    return { mail, recorded, isClaimed: false };
  };
