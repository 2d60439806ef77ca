import type { ModuleDeps } from '#command/engine/module.ts';
import type { DiscountActions } from '../discount.actions.ts';
import { here, inThread } from './carry-out.ts';
import { createWhatIfActions, planWhatIf, type WhatIfActions } from './what-if.actions.ts';
import { createWhatIfRuns } from './what-if-runs.ts';

/** What-ifs of a running shop, in a thread where that can open the log for itself. */
export const openWhatIf = async (
  deps: ModuleDeps,
  { problems }: Pick<DiscountActions, 'problems'>,
): Promise<WhatIfActions> => {
  const { store, log, config } = deps;
  const { events } = config.engines;
  const runs = createWhatIfRuns(deps);
  await runs.declare();
  return createWhatIfActions({
    plan: (wish) => planWhatIf({ ...deps, problems, configured: config.store }, wish),
    runs,
    carryOut:
      events.kind === 'memory'
        ? here(store)
        : inThread(new URL('../../../what-if-thread.ts', import.meta.url), events),
    onFailure: (error, runId) => log.error({ err: error, runId }, 'a what-if has failed'),
  });
};
