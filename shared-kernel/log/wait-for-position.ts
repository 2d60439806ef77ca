import { pause } from '#runtime/back-off.ts';

interface Waiter {
  readonly position: number;
  readonly answer: (isReached: boolean) => void;
}

/** How a wait for a position ended. */
export interface Waited {
  readonly isReached: boolean;
  /** Age of what a query is answered with, in seconds; null once the position has been reached. */
  readonly lagSeconds: number | null;
}

/** A reader's place in the log, and the callers that wait for it. */
export class PositionMark {
  #position: number;
  #waiters: Waiter[] = [];

  constructor(position: number) {
    this.#position = position;
  }

  get position(): number {
    return this.#position;
  }

  /** What comes after it has to be applied once more. Those who wait go on waiting. */
  goBack(position: number): void {
    if (position < this.#position) this.#position = position;
  }

  /** Never goes back. */
  advance(position: number): void {
    if (position <= this.#position) return;
    this.#position = position;
    if (this.#waiters.length === 0) return;
    const reached = this.#waiters.filter((waiter) => waiter.position <= position);
    this.#waiters = this.#waiters.filter((waiter) => waiter.position > position);
    for (const { answer } of reached) answer(true);
  }

  /** True once the position has been reached, false after `timeoutMs` of real time. */
  async waitFor(position: number, timeoutMs: number): Promise<boolean> {
    if (position <= this.#position) return true;
    return new Promise((resolve) => {
      const giveUp = (): void => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
        resolve(false);
      };
      const timer = setTimeout(giveUp, timeoutMs);
      const answer = (isReached: boolean): void => {
        clearTimeout(timer);
        resolve(isReached);
      };
      const waiter: Waiter = { position, answer };
      this.#waiters.push(waiter);
    });
  }
}

/** What is waited for is usually on its way: only after so long is the log asked whether there is such a position. */
const ASK_AFTER_MILLISECONDS = 200;

/** The log, as seen by a caller that waits for a position. */
export interface AwaitedLog {
  /** Reads on at once. */
  hurry(): void;
  head(): Promise<number>;
}

/**
 * Waits until the mark has reached a position that a caller brought along. One beyond the head of the log is not
 * ours, so it counts as reached: a made-up number cannot make a query wait.
 */
export const waitForPosition = async (
  mark: PositionMark,
  log: AwaitedLog,
  position: number,
  timeoutMs: number,
): Promise<boolean> => {
  if (position <= mark.position) return true;
  const begun = performance.now();
  log.hurry();
  if (await mark.waitFor(position, Math.min(timeoutMs, ASK_AFTER_MILLISECONDS))) return true;
  const answered = new AbortController();
  // A log that is silent takes no longer than the position itself would.
  const isOurs = await Promise.race([
    log.head().then(
      (last) => position <= last,
      () => false,
    ),
    pause(Math.max(0, timeoutMs - ASK_AFTER_MILLISECONDS), answered.signal).then(() => true),
  ]);
  answered.abort();
  return isOurs ? mark.waitFor(position, Math.max(0, timeoutMs - (performance.now() - begun))) : true;
};
