import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';

/** How busy this process is with waiting callers. */
export interface Traffic {
  /** Called with every answer. */
  answered(): void;
  /** True while callers keep the event loop, or all processors, fully busy: background work then gives way. */
  isHeavy(): boolean;
}

/** What a process reads of itself. */
export interface ProcessReadings {
  /** Real time in milliseconds. */
  readonly now: () => number;
  readonly utilization: typeof performance.eventLoopUtilization;
  /** Processor time of all threads so far, in milliseconds. */
  readonly processorTime: () => number;
  /** How many processors it may use. */
  readonly processors: number;
}

const WINDOW_MILLISECONDS = 100;
/** Older measurements say nothing about now. */
const LONGEST_WINDOW_MILLISECONDS = 2000;
const HEAVY_UTILIZATION = 0.9;
/** Of the processors: work that begins late must find some of them free. */
const HEAVY_USE = 0.8;
const HEAVY_ANSWERS_PER_SECOND = 100;

const ownProcessorTime = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const ownReadings = (): ProcessReadings => ({
  now: () => performance.now(),
  utilization: performance.eventLoopUtilization,
  processorTime: ownProcessorTime,
  processors: availableParallelism(),
});

/**
 * Measures a tenth of a second at a time, on demand. Writers have threads of their own: on few processors these can be
 * used up while the event loop waits for them.
 */
export const createTraffic = (readings: ProcessReadings = ownReadings()): Traffic => {
  const { now, utilization, processorTime, processors } = readings;
  let since = now();
  let before = utilization();
  let usedBefore = processorTime();
  let answers = 0;
  let isHeavy = false;

  const look = (milliseconds: number): boolean => {
    if ((answers / milliseconds) * 1000 < HEAVY_ANSWERS_PER_SECOND) return false;
    const used = (processorTime() - usedBefore) / (milliseconds * processors);
    return used >= HEAVY_USE || utilization(before).utilization >= HEAVY_UTILIZATION;
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
      usedBefore = processorTime();
      answers = 0;
      return isHeavy;
    },
  };
};
