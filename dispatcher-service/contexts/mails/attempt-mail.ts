import type { DocumentStore } from '#ports/document-store.ts';
import type { MailDelivery } from '#mails/mail-delivery.ts';
import { claim, claimPending, requeue, type Transition } from '#topics/delivery-steps.ts';
import type { Claimed } from '../../engine/delivery-queues.ts';
import { giveWay, type IsBusy } from '../../engine/give-way.ts';
import { createBeat, createRecorder } from '../../engine/record-outcome.ts';
import { getMail, takeStep } from './mail-rows.ts';
import { createAttempt, type MailAttemptDeps } from './make-attempt.ts';

export interface MailAttempts {
  /** Takes a mail that is due; null when there is nothing to do. Errors: `EngineUnavailable`. */
  claim(mailId: string): Promise<Claimed | null>;
  /** Gives up what is still under way, so that the next process begins with it. */
  release(): Promise<void>;
}

/** With so many at once as a mailer takes, some ten mails a second go out of a shop at its limit. */
const GIVES_WAY_MILLISECONDS = 1500;

/** With more than this under way, outcomes are recorded together. */
const FEW = 4;

/** Most are new: a retry costs one question more. */
const take = async ({ stateStore, clock }: MailAttemptDeps, mailId: string): Promise<MailDelivery | null> =>
  (await takeStep(stateStore, claimPending(mailId, clock.now()))) ??
  takeStep(stateStore, claim(mailId, clock.now()));

/** The row when an earlier try has taken this very step: none but the holder of the attempt takes it out of Sending. */
const alreadyTaken = async (
  stateStore: DocumentStore,
  { when, patch }: Transition,
): Promise<MailDelivery | null> => {
  const row = await getMail(stateStore, String(when['_id']));
  return row?.attemptNumber === when['attemptNumber'] && row?.status === patch.set?.['status'] ? row : null;
};

/**
 * A recovered mail has another number, so that a late owner overwrites nothing. Callers come first: mails fall behind a
 * shop at its limit instead of slowing it down, and never stop.
 */
export const createMailAttempts = (deps: MailAttemptDeps, isBusy: IsBusy): MailAttempts => {
  const { stateStore, clock, log } = deps;
  const underWay = new Map<string, MailDelivery>();
  const stopping = new AbortController();
  const record = createRecorder<MailDelivery>({
    take: (transition) => takeStep(stateStore, transition),
    taken: (transition) => alreadyTaken(stateStore, transition),
    log,
    stopping: stopping.signal,
  });
  const beat = createBeat();
  const attempt = createAttempt(deps, { record, together: () => (underWay.size > FEW ? beat() : undefined) });

  return {
    claim: async (mailId) => {
      await giveWay(isBusy, GIVES_WAY_MILLISECONDS, stopping.signal);
      const claimed = await take(deps, mailId);
      if (!claimed) return null;
      return {
        send: async () => {
          underWay.set(claimed._id, claimed);
          try {
            return await attempt(claimed);
          } finally {
            underWay.delete(claimed._id);
          }
        },
      };
    },
    release: async () => {
      stopping.abort();
      const now = clock.now();
      await Promise.all([...underWay.values()].map((one) => takeStep(stateStore, requeue(one, now))));
    },
  };
};
