import { pause } from './back-off.ts';

/**
 * How long a request may wait in all, from its arrival. Real time. Half a second less than the seven after which every
 * request must be answered, as timers run late on a busy machine.
 */
export const REQUEST_MILLISECONDS = 6500;

/**
 * What is left of it for a request that arrived at `askedAt`, in `performance.now()`. Work without a request begins
 * now.
 */
export const leftOfRequest = (askedAt: number = performance.now()): number =>
  Math.max(0, askedAt + REQUEST_MILLISECONDS - performance.now());

/** The answer, if it comes in time. Errors: `tooLate`; what `answer` throws. The work itself goes on. */
export const respondWithin = async <Answer>(
  milliseconds: number,
  answer: Promise<Answer>,
  tooLate: () => Error,
): Promise<Answer> => {
  const isThere = new AbortController();
  const late = pause(Math.max(0, milliseconds), isThere.signal).then((): never => {
    throw tooLate();
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    isThere.abort();
  }
};
