import { EngineUnavailable, WrongExpectedRevision } from '#ports/engine-errors.ts';
import type { AppendResult, EventToAppend } from '#ports/event-store.ts';
import { pause } from '#runtime/back-off.ts';
import { respondWithin } from '#runtime/request-deadline.ts';
import type { Appendable } from './append-health.ts';

interface Append {
  readonly stream: string;
  readonly expectedRevision: number;
  readonly events: readonly EventToAppend[];
}

/** With less than this left, a first try is not waited for beyond the deadline … */
const URGENT_MILLISECONDS = 5000;
/** … but has this long in any case. */
const LEAST_MILLISECONDS = 1000;

/**
 * After an unknown outcome the same events with the same ids are tried again: the log knows them if they are there
 * already. To decide again instead might do everything twice. Errors: `WrongExpectedRevision` (nothing was appended),
 * `EngineUnavailable` (the outcome is still unknown at `deadline`, in `performance.now()`).
 */
export const appendUntilKnown = async (
  store: Appendable,
  append: Append,
  deadline: number,
): Promise<AppendResult> => {
  let pauseMs = 10;
  for (let isRepeat = false; ; isRepeat = true) {
    try {
      return isRepeat
        ? await appendAgain(store, append, deadline)
        : await appendFirst(store, append, deadline);
    } catch (error) {
      if (!(error instanceof EngineUnavailable) || performance.now() + pauseMs > deadline) throw error;
    }
    await pause(pauseMs * (0.5 + Math.random() / 2));
    pauseMs = Math.min(pauseMs * 2, 1000);
  }
};

/** An adapter gives a silent log up by itself: that is time enough for a first try with nothing before it. */
const appendFirst = (store: Appendable, append: Append, deadline: number): Promise<AppendResult> => {
  const left = deadline - performance.now();
  const appended = store.append(append.stream, append.expectedRevision, append.events);
  return left >= URGENT_MILLISECONDS
    ? appended
    : respondWithin(Math.max(left, LEAST_MILLISECONDS), appended, tooLate);
};

const appendAgain = async (store: Appendable, append: Append, deadline: number): Promise<AppendResult> => {
  const within = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
    respondWithin(deadline - performance.now(), answer, tooLate);
  try {
    return await within(store.append(append.stream, append.expectedRevision, append.events));
  } catch (error) {
    if (!(error instanceof WrongExpectedRevision)) throw error;
    return await within(outcomeOf(store, append, error));
  }
};

/**
 * What has become of an append whose repeat met `conflict`. That alone proves nothing: the log may hold these very
 * events and compare only its end, or come from a node that does not have them yet.
 */
const outcomeOf = async (
  store: Appendable,
  { stream, expectedRevision, events }: Append,
  conflict: WrongExpectedRevision,
): Promise<AppendResult> => {
  const there = await store.readStream(stream, { fromRevision: expectedRevision + 1, limit: events.length });
  const last = there.at(-1);
  if (!last) throw new EngineUnavailable(`the log is behind: it does not have what ${stream} had before`);
  const isDone = there.length === events.length && there.every(({ id }, index) => id === events[index]?.id);
  if (!isDone) throw conflict;
  return { revision: last.revision, position: last.position };
};

const tooLate = (): Error => new EngineUnavailable('the log did not answer in time');
