const TICK_MILLISECONDS = 10;
const LONGEST_GAP_MILLISECONDS = 2 * TICK_MILLISECONDS;

/**
 * Time as this process lives it, in milliseconds. A moment in which a busy machine does not let it run counts as one
 * late tick, however long it is: so a test can ask for something within a second on every machine.
 */
export interface OwnClock {
  now(): number;
  stop(): void;
}

export const startOwnClock = (): OwnClock => {
  let lived = 0;
  let last = performance.now();
  const now = (): number => {
    const real = performance.now();
    lived += Math.min(real - last, LONGEST_GAP_MILLISECONDS);
    last = real;
    return lived;
  };
  const ticking = setInterval(now, TICK_MILLISECONDS);
  return { now, stop: () => clearInterval(ticking) };
};

/** How long something takes, as this process lives it. */
export const ownMilliseconds = async (work: () => Promise<unknown>): Promise<number> => {
  const clock = startOwnClock();
  try {
    await work();
    return clock.now();
  } finally {
    clock.stop();
  }
};
