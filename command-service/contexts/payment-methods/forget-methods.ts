import type { Logger } from 'pino';
import { withProviderTimeout, PROVIDER_TIMEOUT_MILLISECONDS } from '#command/engine/provider-timeout.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { createInstances, type Performs } from '#command/engine/run-process.ts';
import type { RunAlone } from '#command/engine/run-alone.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { forgetMethods, type ForgettingCalls } from './forget-methods.process.ts';
import { savedMethodsStream } from './saved-methods.stream.ts';

interface ForgettingDeps extends Pick<CommandDeps, 'streams' | 'apis' | 'clock'> {
  readonly log: Pick<Logger, 'warn'>;
  readonly runAlone?: RunAlone;
  readonly providerTimeoutMilliseconds?: number;
}

/** So long a provider is asked that does not answer. */
const PATIENCE_MILLISECONDS = 24 * 60 * 60 * 1000;

/** Has removed methods forgotten by their providers (docs/rules/saved-methods.md#removed). */
export const createForgetting = ({ streams, apis, clock, log, runAlone, ...deps }: ForgettingDeps) => {
  const patience = deps.providerTimeoutMilliseconds ?? PROVIDER_TIMEOUT_MILLISECONDS;
  const forgetMethod: Performs<ForgettingCalls>['forgetMethod'] = async (asked) => {
    const { methodId, provider, ids, removedAt } = asked;
    const told = apis.payments
      .providerNamed(provider)
      ?.vault?.remove(ids)
      .then(
        () => ({ err: null }),
        (err: unknown) => ({ err }),
      );
    const answer = told ? await withProviderTimeout(told, patience) : { err: null };
    const err = 'err' in answer ? answer.err : new Error('the provider does not answer');
    if (err === null) return { methodId, isForgotten: true };
    log.warn({ methodId, provider, err }, 'a saved payment method is not yet forgotten by its provider');
    return { methodId, isForgotten: clock.now() - Date.parse(removedAt) >= PATIENCE_MILLISECONDS };
  };
  const instances = createInstances({
    process: forgetMethods,
    calls: { forgetMethod },
    streams,
    ...(runAlone && { runAlone }),
  });
  return {
    resume: (customerId: string, meta: CommandMeta) =>
      instances.run(customerId, meta, async () => {
        const { toForget } = (await streams.load(savedMethodsStream, customerId)).state;
        return toForget.length === 0 ? null : { customerId, toForget };
      }),
    drain: () => instances.drain(),
  };
};

export type Forgetting = ReturnType<typeof createForgetting>;
