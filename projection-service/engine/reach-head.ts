import type { ProjectionEngine } from './projection-engine.ts';

const LOOK_MILLISECONDS = 60_000;

/** Resolves once every view reflects a position of the log. Errors: `Error` when one of them stops. */
export const reachHead = async (
  engine: Pick<ProjectionEngine, 'status' | 'waitFor'>,
  head: number,
): Promise<void> => {
  for (const { name } of engine.status()) {
    while (!(await engine.waitFor(name, head, LOOK_MILLISECONDS)).isReached) {
      const stopped = engine.status().find((one) => one.name === name)?.stopped;
      if (stopped) throw new Error(`${name} stopped at position ${stopped.position}: ${stopped.message}`);
    }
  }
};
