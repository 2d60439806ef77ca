import { setPriority } from 'node:os';

/** About a tenth of a busy processor, and all of an idle one. */
const NICENESS = 10;

/** Lets shoppers go before the thread that calls it. */
export const lowerPriority = (): void => {
  // Linux lowers the priority of the calling thread; other systems that of the whole process.
  if (process.platform !== 'linux') return;
  try {
    setPriority(NICENESS);
  } catch {
    // If the platform refuses, the thread competes with shoppers.
  }
};
