import { setImmediate as nextTurn } from 'node:timers/promises';

export interface Watched<Answer> {
  readonly answer: Answer;
  /** The most processor time that this thread spent in one turn of its event loop, in milliseconds. */
  readonly longestTurn: number;
}

const spent = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/**
 * Does something and watches how long it holds the event loop, in processor time of this thread alone: what other
 * threads and other processes on a busy machine do is not counted.
 */
export const watchingTheLoop = async <Answer>(work: () => Promise<Answer>): Promise<Watched<Answer>> => {
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
    return { answer, longestTurn };
  } finally {
    isDone = true;
    await watching;
  }
};
