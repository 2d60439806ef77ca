import { isoInstant } from '#kernel/clock.ts';
import type { SendOutcome } from '#ports/sender.ts';
import { noticeDelaysSeconds, noticeQueue, type AgentNotice } from '#topics/agent-notice.ts';
import { isSuccess } from '#topics/delivery-outcome.ts';
import { heldBy, retryDelayMs, type Transition } from '#topics/delivery-steps.ts';
import { abandon, answered, failed } from '#topics/http-attempt.ts';
import { retryByHand } from '#topics/retry-by-hand.ts';
import type { Readable } from '#topics/webhook-delivery.ts';

/** When the job looks at a waiting notice, in case its turn came unnoticed. */
const LOOK_AFTER_MILLISECONDS = 10_000;

const afterOutcome = (notice: AgentNotice, outcome: SendOutcome, now: number): Partial<AgentNotice> => {
  const at = isoInstant(now);
  if (isSuccess(outcome))
    return { status: 'Succeeded', isOpen: false, dateCompleted: at, errorMessage: null };
  const failure = failed(notice, outcome);
  if (notice.attemptNumber > noticeDelaysSeconds.length)
    return { ...failure, status: 'Abandoned', isOpen: false, dateCompleted: at };
  const dueAt = isoInstant(now + retryDelayMs(notice.attemptNumber, noticeDelaysSeconds));
  return { ...failure, status: 'Retrying', nextRetryUtc: dueAt, dueAt };
};

/** After an attempt: arrived, to be tried again after the next delay, or given up. */
export const nextStep = (
  notice: AgentNotice,
  outcome: SendOutcome,
  requestHeaders: AgentNotice['requestHeaders'],
  now: number,
): Transition => ({
  when: heldBy(notice),
  patch: { set: { ...afterOutcome(notice, outcome, now), requestHeaders, ...answered(outcome) } },
});

/** For a notice that can no longer be sent, or must not be. */
export const abandonNotice = (notice: AgentNotice, errorMessage: string, now: number): Transition => {
  const { when, patch } = abandon(notice, errorMessage, now);
  return { when, patch: { set: { ...patch.set, isOpen: false } } };
};

const asItStands = ({ _id, status, attemptNumber }: AgentNotice): Transition['when'] => ({
  _id,
  status,
  attemptNumber,
});

/**
 * Takes a notice out of its queue until another of its order is done, which is due at `dueAt`; null: under way. Not
 * where it was brought forward meanwhile: it was looked at before that.
 */
export const parkNotice = (notice: AgentNotice, dueAt: string | null, now: number): Transition => {
  const from = Math.max(now, dueAt === null ? now : Date.parse(dueAt));
  return {
    when: { ...asItStands(notice), dueAt: notice.dueAt },
    patch: { set: { isOpen: true, queue: null, dueAt: isoInstant(from + LOOK_AFTER_MILLISECONDS) } },
  };
};

/** Has a parked notice looked at soon: what it waits for goes out before its time. */
export const bringForward = (notice: AgentNotice, now: number): Transition => ({
  when: { ...asItStands(notice), queue: null },
  patch: { set: { dueAt: isoInstant(now + LOOK_AFTER_MILLISECONDS) } },
});

/** Has staff send it again: later ones of its order wait from now on, and it for its turn. */
export const reopenNotice = (notice: Readable<AgentNotice>, now: number, retriedBy: string): Transition => {
  const { when, patch } = retryByHand(notice, now, retriedBy);
  return { when, patch: { set: { ...patch.set, isOpen: true, queue: null } } };
};

/** Puts it back: its turn has come. */
export const releaseNotice = (notice: AgentNotice, now: number): Transition => ({
  when: asItStands(notice),
  patch: { set: { isOpen: true, queue: noticeQueue(notice), dueAt: isoInstant(now) } },
});
