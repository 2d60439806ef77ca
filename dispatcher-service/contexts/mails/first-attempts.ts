import { mailsCollection, type MailDelivery } from '#mails/mail-delivery.ts';
import { applyPatch } from '#ports/document-rules.ts';
import type { Write } from '#ports/document-store.ts';
import { beginAttempt } from '#topics/delivery-steps.ts';
import type { IsBusy } from '#runtime/give-way.ts';
import type { Outgoing } from '../../engine/outgoing-batch.ts';
import { within } from '../../engine/within.ts';
import { createAttempt, type MailAttemptDeps } from './make-attempt.ts';

export interface FirstAttemptsOptions {
  readonly isBusy: IsBusy;
  /** Whether mails wait in memory that were queued before. */
  readonly hasWaiting: () => boolean;
  /** How many are made at a time. */
  readonly atOnce: number;
  /** Once it aborts, no further ones are begun, and those in hand are waited for a moment longer. */
  readonly stopping: AbortSignal;
}

/** After a mail that could not be handed over, new ones are queued for this long, in real time. */
const RESTS_MILLISECONDS = 10_000;
/** For attempts in hand when the shop stops: a file takes no longer, unless its disk hangs. */
const FINISH_WITHIN_MILLISECONDS = 1000;

const rowOf = (write: Write): MailDelivery | null => ('put' in write ? (write.put as MailDelivery) : null);

/** The rows with what came of them; those of which nothing is to be kept are left out. */
const withOutcomes = (
  { writes, messages }: Outgoing,
  outcomes: ReadonlyMap<string, MailDelivery | null>,
): Outgoing => ({
  writes: writes.flatMap((write) => {
    const outcome = outcomes.get(rowOf(write)?._id ?? '');
    if (outcome === undefined) return [write];
    return outcome === null ? [] : [{ ...write, put: outcome }];
  }),
  messages: messages.filter(({ value }) => {
    const outcome = outcomes.get(value);
    return outcome === undefined || outcome?.status === 'Pending';
  }),
});

const untilStopped = async (work: Promise<unknown>, stopping: AbortSignal): Promise<void> => {
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  const onStop = (): void => resolve();
  stopping.addEventListener('abort', onStop);
  await Promise.race([work, stopped.then(() => within(FINISH_WITHIN_MILLISECONDS, work))]);
  stopping.removeEventListener('abort', onStop);
};

/**
 * Makes the first attempts of mails before their rows are written, so that one write keeps mail and outcome. Only where
 * the mailer makes one mail of two that are the same: a kill in between has the log queue them again, and one that went
 * out and is not wanted any more by then is recorded as Abandoned. While callers or other mails come first, and while
 * the mailer is away, rows are returned as they are.
 */
export const createFirstAttempts = (
  deps: MailAttemptDeps,
  { isBusy, hasWaiting, atOnce, stopping }: FirstAttemptsOptions,
): ((outgoing: Outgoing) => Promise<Outgoing>) => {
  const { stateStore, clock } = deps;
  let restsUntil = 0;
  const isResting = (): boolean => stopping.aborted || isBusy() || performance.now() < restsUntil;

  /** Null: nothing is to be kept of it. One that came to nothing stays as it was queued. */
  const outcomeOf = async (queued: MailDelivery): Promise<MailDelivery | null> => {
    const mail = applyPatch(queued, beginAttempt(clock.now()));
    const kept: { row: MailDelivery | null } = { row: queued };
    const attempt = createAttempt(deps, {
      record: async ({ patch }) => (kept.row = applyPatch(mail, patch)),
      drop: async () => (kept.row = null),
      together: () => undefined,
    });
    try {
      if ((await attempt(mail)) === 'failed') restsUntil = performance.now() + RESTS_MILLISECONDS;
      return kept.row;
    } catch {
      // An engine is away: the worker that takes its row says so.
      return queued;
    }
  };

  return async (outgoing) => {
    const rows = outgoing.writes.flatMap((write) => rowOf(write) ?? []);
    if (rows.length === 0 || hasWaiting() || isResting()) return outgoing;
    // Their log is read again: whatever became of them, they are not new.
    const known = await stateStore.getMany<MailDelivery>(
      mailsCollection,
      rows.map(({ _id }) => _id),
    );
    const knownIds = new Set(known.map(({ _id }) => _id));
    const fresh = rows.filter(({ _id }) => !knownIds.has(_id));
    const outcomes = new Map<string, MailDelivery | null>();
    for (let from = 0; from < fresh.length && !isResting(); from += atOnce)
      await untilStopped(
        Promise.all(
          fresh.slice(from, from + atOnce).map(async (row) => outcomes.set(row._id, await outcomeOf(row))),
        ),
        stopping,
      );
    const prepared = withOutcomes(outgoing, outcomes);
    // None is begun again beside an attempt in hand: the next start finds its row.
    return stopping.aborted ? { ...prepared, messages: [] } : prepared;
  };
};
