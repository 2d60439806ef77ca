import type { Logger } from 'pino';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { createInstances } from '#command/engine/run-process.ts';
import type { RunAlone } from '#command/engine/run-alone.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { forgetMethods, type ForgottenMethod } from './forget-methods.process.ts';
import type { MethodToForget } from './saved-methods.state.ts';
import { savedMethodsStream } from './saved-methods.stream.ts';

interface ForgettingDeps extends Pick<CommandDeps, 'streams' | 'neighbours' | 'clock'> {
  readonly log: Pick<Logger, 'warn'>;
  readonly runAlone?: RunAlone;
}

/** So long a provider is asked that does not answer. */
const PATIENCE_MILLISECONDS = 24 * 60 * 60 * 1000;

/** Has removed methods forgotten by their providers (docs/rules/saved-methods.md#removed). */
export const createForgetting = ({ streams, neighbours, clock, log, runAlone }: ForgettingDeps) => {
  const forget = async (asked: MethodToForget): Promise<ForgottenMethod> => {
    const { methodId, provider, ids, removedAt } = asked;
    try {
      await neighbours.payments.providerNamed(provider)?.vault?.remove(ids);
      return { methodId, isForgotten: true };
    } catch (err) {
      log.warn({ methodId, provider, err }, 'a saved payment method is not yet forgotten by its provider');
      return { methodId, isForgotten: clock.now() - Date.parse(removedAt) >= PATIENCE_MILLISECONDS };
    }
  };
  const instances = createInstances({
    process: forgetMethods,
    calls: { forgetMethod: forget },
    streams,
    ...(runAlone ? { runAlone } : {}),
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
