import { pause } from '#runtime/back-off.ts';

export interface BackgroundRuns<Result> {
  /** Joins the run under way, or begins one. */
  run(): Promise<Result>;
  /** Begins one soon: what wakes it in quick succession shares it. */
  wake(): void;
  isStopped(): boolean;
  /** Waits until none is under way or about to begin; false after `timeoutMs`, real time. */
  idle(timeoutMs: number): Promise<boolean>;
  /** Begins no more, and waits for the one under way. */
  stop(): Promise<void>;
}

const WAKE_MS = 50;
const IDLE_LOOK_MS = 20;

/** Work that goes on beside requests, one run at a time. */
export const createBackgroundRuns = <Result>(
  work: () => Promise<Result>,
  onFailure: (error: unknown) => void,
): BackgroundRuns<Result> => {
  let underWay: Promise<Result> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let isStopped = false;
  const run = (): Promise<Result> => {
    underWay ??= work().finally(() => {
      underWay = null;
    });
    return underWay;
  };
  return {
    run,
    wake: () => {
      if (isStopped) return;
      timer ??= setTimeout(() => {
        timer = null;
        run().catch(onFailure);
      }, WAKE_MS).unref();
    },
    isStopped: () => isStopped,
    idle: async (timeoutMs) => {
      const deadline = performance.now() + timeoutMs;
      for (;;) {
        if (timer === null && underWay === null) return true;
        if (performance.now() >= deadline) return false;
        await pause(IDLE_LOOK_MS);
      }
    },
    stop: async () => {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
      timer = null;
      await underWay;
    },
  };
};
