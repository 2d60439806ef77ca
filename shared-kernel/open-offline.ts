import { statSync } from 'node:fs';
import type { ReferencePart } from '#reference/reference-part.ts';
import type { Config } from '#runtime/config.ts';
import {
  memoryEngines,
  type DocumentStoreChoice,
  type EngineChoices,
  type EventStoreChoice,
} from '#runtime/config-engines.ts';
import { readApplicationKey } from '#runtime/keys.ts';
import { createLogger } from '#runtime/logging.ts';
import { closeEngines, openEngines, type Engines } from './open-engines.ts';
import { openRuntime, type Runtime } from './open-runtime.ts';

/** A file that is not there; a reader makes none. */
const isMissing = (choice: EventStoreChoice | DocumentStoreChoice): boolean =>
  choice.kind === 'sqlite' && !statSync(choice.file, { throwIfNoEntry: false });

const refuseNothing = ({ engines: { events }, dataDir }: Pick<Config, 'engines' | 'dataDir'>): void => {
  if (events.kind === 'memory')
    throw new Error(
      'EVENT_STORE is in memory: start the shop with tillroll start, and ask again while it runs.',
    );
  if (isMissing(events))
    throw new Error(
      `There is no shop in ${dataDir}: name its folder with --data or DATA_DIR, or start one with tillroll start.`,
    );
};

/** A backup has no read models: they are filled in memory. */
const enginesToRead = ({ events, read, state }: EngineChoices): EngineChoices => ({
  ...memoryEngines,
  events,
  state,
  ...(!isMissing(read) && { read }),
});

/** As `openOffline` has them, without what follows the log. Errors: `Error` that says what to do. */
export const openEnginesOffline = (config: Pick<Config, 'engines' | 'dataDir'>): Promise<Engines> => {
  refuseNothing(config);
  return openEngines(enginesToRead(config.engines), { readOnly: true, isScratch: true });
};

/**
 * The configured engines, for the command line where no shop runs on this machine, or beside one. They are only read:
 * what has to be written is kept in memory. Errors: `Error` that says what to do.
 */
export const openOffline = async (
  config: Config,
  { parts = [] }: { readonly parts?: readonly ReferencePart[] } = {},
): Promise<Runtime> => {
  refuseNothing(config);
  const applicationKey = readApplicationKey(config);
  const engines = await openEnginesOffline(config);
  try {
    return await openRuntime({ engines, applicationKey, log: createLogger('warn', 'tillroll'), parts });
  } catch (error) {
    await closeEngines(engines);
    throw error;
  }
};
