import { setImmediate as nextTurn } from 'node:timers/promises';

export interface Watched<Answer> {
  readonly answer: Answer;
  /**
   * The most processor time that this thread spent in one turn of its event loop, in milliseconds of a usual machine:
   * one that is slower is given more.
   */
  readonly longestTurn: number;
}

const spent = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

const ROWS = 50_000;
/** What it takes a usual machine to read them. */
const USUAL_MILLISECONDS = 20;

/** By how much this machine is slower than a usual one; the best of three, for something else may be going on. */
const measuredSlowness = (): number => {
  const rows = JSON.stringify(Array.from({ length: ROWS }, (_, id) => ({ id, name: `row ${id}` })));
  const took = [1, 2, 3].map(() => {
    const before = spent();
    JSON.parse(rows);
    return spent() - before;
  });
  return Math.max(1, Math.min(...took) / USUAL_MILLISECONDS);
};
let slowness: number | undefined;

/**
 * Does something and watches how long it holds the event loop, in processor time of this thread alone: what other
 * threads and other processes on a busy machine do is not counted.
 */
export const watchingTheLoop = async <Answer>(work: () => Promise<Answer>): Promise<Watched<Answer>> => {
  slowness ??= measuredSlowness();
  let isDone = false;
  let longestTurn = 0;
  const watch = async (): Promise<void> => {
    let before = spent();
    while (!isDone) {
      await nextTurn();
      const now = spent();
      longestTurn = Math.max(longestTurn, now - before);
      before = now;
    }
  };
  const watching = watch();
  try {
    const answer = await work();
    await nextTurn();
    return { answer, longestTurn: longestTurn / slowness };
  } finally {
    isDone = true;
    await watching;
  }
};
