import { pause } from '#runtime/back-off.ts';

interface Waiter {
  readonly position: number;
  readonly answer: (isReached: boolean) => void;
}

/** How far somebody has come along the log, and those who wait until it is far enough. */
export class PositionMark {
  #position: number;
  #waiters: Waiter[] = [];

  constructor(position: number) {
    this.#position = position;
  }

  get position(): number {
    return this.#position;
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

/**
 * Waits until the mark has reached a position that a caller brought along. One beyond the head of the log is none of
 * ours, so it counts as reached: nobody makes a query wait with a number that they made up.
 */
export const waitForPosition = async (
  mark: PositionMark,
  head: () => Promise<number>,
  position: number,
  timeoutMs: number,
): Promise<boolean> => {
  if (position <= mark.position) return true;
  const begun = performance.now();
  const answered = new AbortController();
  // A log that is silent takes no longer than the position itself would.
  const isOurs = await Promise.race([
    head().then(
      (last) => position <= last,
      () => false,
    ),
    pause(timeoutMs, answered.signal).then(() => true),
  ]);
  answered.abort();
  return isOurs ? mark.waitFor(position, Math.max(0, timeoutMs - (performance.now() - begun))) : true;
};
