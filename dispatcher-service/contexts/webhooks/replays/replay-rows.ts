import { isoInstant } from '#kernel/clock.ts';
import type { Transition } from '#topics/delivery-steps.ts';
import { attemptsSoFar } from '#topics/past-attempts.ts';
import type { ReplayInclude } from '#contracts/webhook-replays.contract.ts';
import { LOOK_AGAIN_MILLISECONDS } from '../delivery.ts';
import type { DeliveryRow } from '../delivery-rows.ts';
import type { Replay } from './replay.ts';

/**
 * Where a row stands in the queue of its subscription: behind START for a replay's, in the order of the log, so that
 * one index yields what is new apart from what is replayed.
 */
const placeOf = (position: number): number => position - Number.MAX_SAFE_INTEGER;

/** They are found by their place; should that be missed, the delivery job looks after them in a day. */
const waiting = (now: number) => ({
  status: 'Pending' as const,
  nextRetryUtc: null,
  dateCompleted: null,
  dueAt: isoInstant(now + LOOK_AGAIN_MILLISECONDS),
});

/** Whether a replay sends what is in a row again. */
export const isWanted = ({ status }: DeliveryRow, include: ReplayInclude): boolean =>
  status === 'Abandoned' ? include !== 'missing' : status === 'Succeeded' && include === 'all';

/** Puts a delivery that is over into the queue again: a whole schedule, and the number of attempts counts on. */
export const queueAgain = (
  row: DeliveryRow,
  { _id: id, end: knownFrom }: Replay,
  position: number,
  now: number,
): Transition => {
  const { _id, status, attemptNumber, dateCompleted, errorMessage, attemptsBefore = 0 } = row;
  const before = { status, dateCompleted, errorMessage, attemptsBefore, position: row.position };
  return {
    when: { _id, status, attemptNumber },
    patch: {
      set: {
        ...waiting(now),
        position: placeOf(position),
        attemptsBefore: attemptNumber,
        attempts: attemptsSoFar(row),
        replay: { id, knownFrom, before },
      },
    },
  };
};

/** A row that was just made of an event, in a replay's place. One that is too large stays as it is. */
export const inReplay = (
  row: DeliveryRow,
  { _id: id, end: knownFrom }: Replay,
  position: number,
  now: number,
): DeliveryRow => {
  const replay = { id, knownFrom, before: null };
  if (row.status !== 'Pending') return { ...row, replay };
  return { ...row, ...waiting(now), position: placeOf(position), replay };
};

/** Puts a row back that was queued again and has not been tried since; null: it was made for the replay. */
export const takeBack = ({ _id, attemptNumber, replay }: DeliveryRow): Transition | null => {
  if (!replay?.before) return null;
  return {
    when: { _id, status: 'Pending', attemptNumber, 'replay.id': replay.id },
    patch: { set: { ...replay.before, dueAt: null }, unset: ['replay'] },
  };
};
