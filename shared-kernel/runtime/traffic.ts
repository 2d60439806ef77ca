import { performance } from 'node:perf_hooks';

/** How busy this process is with waiting callers. */
export interface Traffic {
  /** Called with every answer. */
  answered(): void;
  /** True while callers keep the event loop fully busy: background work then gives way. */
  isHeavy(): boolean;
}

const WINDOW_MILLISECONDS = 100;
/** Older measurements say nothing about now. */
const LONGEST_WINDOW_MILLISECONDS = 2000;
const HEAVY_UTILIZATION = 0.9;
const HEAVY_ANSWERS_PER_SECOND = 100;

/** Measures a tenth of a second at a time, on demand, in real time. */
export const createTraffic = (
  now: () => number = () => performance.now(),
  utilization: typeof performance.eventLoopUtilization = performance.eventLoopUtilization,
): Traffic => {
  let since = now();
  let before = utilization();
  let answers = 0;
  let isHeavy = false;

  const look = (milliseconds: number): boolean => {
    const isBusy = utilization(before).utilization >= HEAVY_UTILIZATION;
    return isBusy && (answers / milliseconds) * 1000 >= HEAVY_ANSWERS_PER_SECOND;
  };

  return {
    answered: () => {
      answers++;
    },
    isHeavy: () => {
      const milliseconds = now() - since;
      if (milliseconds < WINDOW_MILLISECONDS) return isHeavy;
      isHeavy = milliseconds <= LONGEST_WINDOW_MILLISECONDS && look(milliseconds);
      since = now();
      before = utilization();
      answers = 0;
      return isHeavy;
    },
  };
};
