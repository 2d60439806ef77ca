import { pause } from './back-off.ts';

/**
 * How long a request may wait in all, from its arrival on. Real time. Half a second less than the seven after which
 * it is answered at the latest, for a busy machine looks at its timers late.
 */
export const REQUEST_MILLISECONDS = 6500;

/**
 * How much of it is left to a request that came at `askedAt`, in `performance.now()`. Work without a request begins
 * now.
 */
export const leftOfRequest = (askedAt: number = performance.now()): number =>
  Math.max(0, askedAt + REQUEST_MILLISECONDS - performance.now());

/** What is answered within so long. Errors: `tooLate`; what `answer` throws. The work itself goes on. */
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
