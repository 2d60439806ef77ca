import type { Beginning } from './simulated-time.ts';

/** What is due at some time: at most what comes of the orders and visits of some days. */
export const createAgenda = <Due extends Beginning = Beginning>() => {
  let due: Due[] = [];
  return {
    add: (one: Due): void => void due.push(one),
    /** Takes what is due before an instant, the soonest first. */
    take: (until: number): readonly Due[] => {
      const taken = due.filter(({ at }) => at < until);
      due = due.filter(({ at }) => at >= until);
      return taken.sort((one, other) => one.at - other.at);
    },
  };
};
