import { isoInstant } from '#kernel/clock.ts';
import type { WebhookDispatch } from '../dispatch-webhooks.ts';
import { declareReplays, createReplays, type Replays, type ReplaysDeps } from './replays.ts';
import { runReplays, type ReplayRunner, type RunReplaysDeps } from './run-replays.ts';

export type OpenReplaysOptions = Omit<ReplaysDeps, 'wake'> &
  Omit<RunReplaysDeps, 'onRefused' | 'follower' | 'announce' | 'isTelling' | 'recoverCounts'> & {
    readonly dispatch: Pick<
      WebhookDispatch,
      'follower' | 'counter' | 'announce' | 'isTelling' | 'recoverCounts'
    >;
  };

/** What staff ask for, and the work on it. Errors: `EngineUnavailable`. */
export const openReplays = async (
  options: OpenReplaysOptions,
): Promise<{ readonly replays: Replays; readonly runner: ReplayRunner }> => {
  const { stateStore, clock, dispatch } = options;
  await declareReplays(stateStore);
  const runner = runReplays({
    ...options,
    ...dispatch,
    onRefused: (delivery) => dispatch.counter.count(delivery, 'failed', isoInstant(clock.now())),
  });
  return { replays: createReplays({ ...options, wake: runner.wake }), runner };
};
