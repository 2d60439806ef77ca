import type { RebuildState } from './rebuilds/rebuild-order.document.ts';

/** One figure for each projection that is being rebuilt. */
export type RebuildFigures = readonly (readonly [projection: string, figure: number])[];

/** How far rebuilds are, and about how long they will take. Nothing while the read store is away. */
export const createRebuildFigures = (rebuilds: () => Promise<ReadonlyMap<string, RebuildState>>) => {
  const underWay = async (): Promise<readonly (readonly [string, RebuildState])[]> => {
    const states = await rebuilds().catch(() => new Map<string, RebuildState>());
    return [...states].filter(([, { isDone }]) => !isDone);
  };
  return {
    /** From 0 to 1. */
    shares: async (): Promise<RebuildFigures> => (await underWay()).map(([name, { share }]) => [name, share]),
    /** NaN until it is known. */
    secondsLeft: async (): Promise<RebuildFigures> =>
      (await underWay()).map(([name, { secondsLeft }]) => [name, secondsLeft ?? NaN]),
  };
};
