import type { StoreSettings } from '#values/store-settings.ts';
import type { Runtime } from '../shared-kernel/open-runtime.ts';
import { readPeriod } from './contexts/reporting/period.ts';
import { salesOf } from './contexts/reporting/reporting.queries.ts';
import { reachHead } from './engine/reach-head.ts';
import { createReader } from './engine/reader.ts';
import { createProjectionService } from './main.ts';

/** The read models, filled in one pass over a log at rest. Errors: `Error` when one of them stops. */
export const fillReadModels = async (runtime: Runtime, settings: () => StoreSettings) => {
  const service = await createProjectionService({ runtime, settings });
  const catchUp = async (): Promise<void> => {
    await reachHead(service.followers, await runtime.store.head());
  };
  await catchUp();
  const reader = createReader({ readStore: runtime.readStore, engine: service.engine });
  return {
    /** The sales of some business days, `YYYY-MM-DD`, both included. */
    salesBetween: async (start: string, end: string) =>
      salesOf(await readPeriod(reader, { start, end }), settings().storeCurrencyCode),
    /** Resolves once they reflect what has been appended since. */
    catchUp,
    stop: () => service.stop(),
  };
};
