import { setTimeout as sleep } from 'node:timers/promises';

/** Waits in real time; resolves early when the signal aborts. */
export const pause = async (milliseconds: number, signal?: AbortSignal): Promise<void> => {
  if (signal?.aborted) return;
  await sleep(milliseconds, undefined, signal ? { signal } : {}).catch(() => undefined);
};

/**
 * Growing pauses between attempts: 50 ms, doubled up to 5 s, each with jitter so that many callers do not retry in
 * step.
 */
export class BackOff {
  #tries = 0;

  async wait(signal?: AbortSignal): Promise<void> {
    const longest = Math.min(5000, 50 * 2 ** this.#tries++);
    await pause(longest * (0.5 + Math.random() / 2), signal);
  }

  reset(): void {
    this.#tries = 0;
  }
}
