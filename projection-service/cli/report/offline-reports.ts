import { statSync } from 'node:fs';
import { askRoute } from '#http/ask-route.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { Config } from '#runtime/config.ts';
import {
  memoryEngines,
  type DocumentStoreChoice,
  type EngineChoices,
  type EventStoreChoice,
} from '#runtime/config-engines.ts';
import { readApplicationKey } from '#runtime/keys.ts';
import { createLogger } from '#runtime/logging.ts';
import { refusalText } from '#runtime/refusal-text.ts';
import { settingsOver } from '#values/store-settings.ts';
import { closeEngines, openEngines } from '../../../shared-kernel/open-engines.ts';
import { openRuntime, runtimeParts, type Runtime } from '../../../shared-kernel/open-runtime.ts';
import { reachHead } from '../../engine/reach-head.ts';
import { createProjectionService } from '../../main.ts';
import { reportModules } from '../../modules.ts';
import type { ReportSource } from './sales-report.ts';

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

const openForReading = async (config: Config): Promise<Runtime> => {
  const applicationKey = readApplicationKey(config);
  const engines = await openEngines(enginesToRead(config.engines), { readOnly: true, isScratch: true });
  try {
    return await openRuntime({ engines, applicationKey, log: createLogger('warn', 'tillroll') });
  } catch (error) {
    await closeEngines(engines);
    throw error;
  }
};

/** What the shop would have answered. */
const asRefusal = (error: unknown): unknown =>
  error instanceof Rejection ? new Error(refusalText(error.message, error.details['errors'])) : error;

/**
 * The reports of the configured engines, for the command line where no shop runs on this machine. Engines are only
 * read: what reports still lack of the log is worked out in memory. Errors: `Error` that says what to do.
 */
export const openReports = async (config: Config): Promise<ReportSource> => {
  refuseNothing(config);
  const runtime = await openForReading(config);
  const settings = () => settingsOver(runtime.reference.settings.current(), config.store);
  const service = await createProjectionService({ runtime, settings, modules: reportModules });
  const close = async (): Promise<void> => {
    await service.stop();
    await runtime.close();
  };
  try {
    await runtime.feed.start();
    const followers = [...service.followers, ...runtimeParts(runtime).followers];
    await reachHead(followers, await runtime.store.head());
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ask: (path) =>
      askRoute(service.routes, path).catch((error: unknown) => {
        throw asRefusal(error);
      }),
    store: async () => {
      const { name, reportingTimeZone } = settings();
      return { name, timeZone: reportingTimeZone };
    },
    close,
  };
};
