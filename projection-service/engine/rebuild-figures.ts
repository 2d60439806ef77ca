import { shareRead } from '#log/share-read.ts';
import type { RebuildState } from './rebuild-orders.ts';

/** One figure for each projection that is being rebuilt. */
export type RebuildFigures = readonly (readonly [projection: string, figure: number])[];

interface Seen {
  readonly position: number;
  /** Real time in milliseconds. */
  readonly at: number;
}

/**
 * How far rebuilds are, and about how long they will take at the pace since the first reading. Nothing while the read
 * store is away.
 */
export const createRebuildFigures = (
  rebuilds: () => Promise<ReadonlyMap<string, RebuildState>>,
  now: () => number = () => performance.now(),
) => {
  const firstSeen = new Map<string, Seen>();
  const underWay = async (): Promise<readonly (readonly [string, RebuildState])[]> => {
    const states = await rebuilds().catch(() => new Map<string, RebuildState>());
    const open = [...states].filter(([, { isDone }]) => !isDone);
    for (const name of firstSeen.keys()) if (!open.some(([one]) => one === name)) firstSeen.delete(name);
    return open;
  };
  const secondsLeft = (name: string, { position, head }: RebuildState): number => {
    const first = firstSeen.get(name);
    if (!first || position < first.position) firstSeen.set(name, { position, at: now() });
    if (!first || position <= first.position) return NaN;
    const perPosition = (now() - first.at) / (position - first.position);
    return (Math.max(0, head - position) * perPosition) / 1000;
  };
  return {
    /** From 0 to 1. */
    shares: async (): Promise<RebuildFigures> =>
      (await underWay()).map(([name, state]) => [name, shareRead(state)]),
    /** NaN until it has moved since the first look. */
    secondsLeft: async (): Promise<RebuildFigures> =>
      (await underWay()).map(([name, state]) => [name, secondsLeft(name, state)]),
  };
};
