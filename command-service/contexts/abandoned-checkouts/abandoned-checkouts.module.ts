import type { CommandModule } from '#command/engine/module.ts';
import { createRecoveryTokens } from '#runtime/recovery-tokens.ts';
import type { AbandonedCheckoutsApi } from './abandoned-checkout.commands.ts';
import { isRecord } from './abandoned-checkout.state.ts';
import { abandonedCheckouts as abandonedCheckoutRecords } from './abandoned-checkout.stream.ts';
import { createAdvance } from './advance-checkouts.ts';
import { createCheckoutsInProgress, type CheckoutsInProgress } from './checkouts-in-progress.ts';
import { detectAbandoned } from './detect-abandoned.job.ts';
import { createRecovery } from './recovery/recover.actions.ts';
import { createTellRecords } from './tell-records.ts';
import { winningBackRoutes } from './winning-back.ts';

export const abandonedCheckouts: CommandModule<CheckoutsInProgress> = {
  name: 'abandoned-checkouts',
  follows: createCheckoutsInProgress,
  create: (deps, inProgress) => {
    const advance = createAdvance({ ...deps, inProgress });
    const reach = (): Promise<void> => deps.reach();
    const records = createTellRecords({ ...deps, inProgress, advance, reach });
    const review: AbandonedCheckoutsApi['review'] = async (basketId) => {
      await deps.reach();
      if (!inProgress.find(basketId)) return 'unknown';
      return (await advance(basketId, deps.clock.now())) === 'later' ? 'busy' : 'current';
    };
    const tokens = createRecoveryTokens(deps.keys.applicationKey);
    const recovery = createRecovery({ ...deps, tokens, review });
    const job = detectAbandoned({ ...deps, inProgress, advance, reach });
    return {
      routes: winningBackRoutes(deps, { inProgress, review, recovery }),
      jobs: [job],
      actions: {
        abandonedCheckouts: {
          review,
          recover: recovery.recover,
          detect: () => job.runOnce(deps.clock.now()),
          basketOf: async (recordId) => {
            const { state } = await deps.streams.load(abandonedCheckoutRecords, recordId);
            return isRecord(state) ? state.basketId : inProgress.basketOf(recordId);
          },
        },
      },
      followers: [
        {
          name: 'abandoned-checkouts',
          waitFor: async (position, timeoutMs) => {
            await deps.reach(position);
            return records.idle(timeoutMs);
          },
        },
      ],
      measure: (metrics) =>
        metrics.gauge(
          'tillroll_checkouts_in_progress',
          'Checkouts with a known e-mail address that are not over',
          () => inProgress.count(),
        ),
      stop: records.stop,
    };
  },
};
