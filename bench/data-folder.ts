import { join } from 'node:path';
import type { EngineChoices } from '#runtime/config-engines.ts';

/** Where a shop keeps its embedded engines in a data folder. */
export const fileNames = (dataDir: string) =>
  ({
    events: join(dataDir, 'events.db'),
    read: join(dataDir, 'read.db'),
    state: join(dataDir, 'state.db'),
    bus: join(dataDir, 'bus.db'),
  }) satisfies Record<keyof EngineChoices, string>;
