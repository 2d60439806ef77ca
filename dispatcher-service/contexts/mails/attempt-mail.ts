import { mailsCollection } from '#mails/mail-delivery.ts';
import { requeue } from '#topics/delivery-steps.ts';
import type { Claimed } from '../../engine/delivery-queues.ts';
import { giveWay, type IsBusy } from '#runtime/give-way.ts';
import { createBeat, createRecorder, stepsOf } from '../../engine/record-outcome.ts';
import type { Begun, BeginAttempt } from './begin-attempt.ts';
import { mailTable, takeStep } from './mail-rows.ts';
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

/**
 * A recovered mail has another number, so that a late owner overwrites nothing. Callers come first: mails fall behind a
 * shop at its limit instead of slowing it down, and never stop.
 */
export const createMailAttempts = (
  deps: MailAttemptDeps,
  begin: BeginAttempt,
  isBusy: IsBusy,
): MailAttempts => {
  const { stateStore, clock, log } = deps;
  const underWay = new Map<string, Begun>();
  const stopping = new AbortController();
  const record = createRecorder({ ...stepsOf(mailTable, stateStore), log, stopping: stopping.signal });
  const beat = createBeat();
  const drop = (_id: string) => stateStore.deleteMany(mailsCollection, { _id }, 1);
  const together = () => (underWay.size > FEW ? beat() : undefined);

  return {
    claim: async (mailId) => {
      await giveWay(isBusy, GIVES_WAY_MILLISECONDS, stopping.signal);
      const begun = await begin(mailId, clock.now());
      if (!begun) return null;
      const attempt = createAttempt(deps, { record: (step) => record(begun.recorded(step)), drop, together });
      return {
        send: async () => {
          underWay.set(mailId, begun);
          try {
            return await attempt(begun.mail);
          } finally {
            underWay.delete(mailId);
          }
        },
      };
    },
    release: async () => {
      stopping.abort();
      const now = clock.now();
      const claimed = [...underWay.values()].filter(({ isClaimed }) => isClaimed);
      await Promise.all(claimed.map(({ mail }) => takeStep(stateStore, requeue(mail, now))));
    },
  };
};
