import { askRoute } from '#http/ask-route.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { Config } from '#runtime/config.ts';
import { refusalText } from '#runtime/refusal-text.ts';
import { settingsOver } from '#values/store-settings.ts';
import { openOffline } from '../../../shared-kernel/open-offline.ts';
import { runtimeParts } from '../../../shared-kernel/open-runtime.ts';
import type { ProjectionModule } from '../../engine/module.ts';
import { reachHead } from '../../engine/reach-head.ts';
import { createProjectionService } from '../../main.ts';
import { reportModules } from '../../modules.ts';
import type { ReportSource } from './sales-report.ts';

/** What the shop would have answered. */
const asRefusal = (error: unknown): unknown =>
  error instanceof Rejection ? new Error(refusalText(error.message, error.details['errors'])) : error;

/**
 * The queries of some modules on the configured engines, for the command line where no shop runs on this machine.
 * Engines are only read: what views still lack of the log is worked out in memory. Errors: `Error` that says what to
 * do.
 */
export const openQueries = async (
  config: Config,
  modules: readonly ProjectionModule[],
): Promise<ReportSource> => {
  const runtime = await openOffline(config);
  const settings = () => settingsOver(runtime.reference.settings.current(), config.store);
  const service = await createProjectionService({ runtime, settings, modules });
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

export const openReports = (config: Config): Promise<ReportSource> => openQueries(config, reportModules);
