import type { ModuleDeps } from '#command/engine/module.ts';
import { createReceivedCallbacks } from '#command/engine/received-callbacks.ts';
import { createFulfilmentCallbacks, type FulfilmentCallbackDeps } from './fulfilment-callbacks.actions.ts';
import { fulfilmentCallbackRoutes } from './fulfilment-callbacks.routes.ts';

/** Joins the parts that process callbacks of fulfilment providers (docs/rules/fulfilment.md#callbacks). */
export const openFulfilmentCallbacks = async (
  deps: ModuleDeps,
  { known, updates }: Pick<FulfilmentCallbackDeps, 'known' | 'updates'>,
) => {
  const { clock, config, limits } = deps;
  const { webhookLogRetentionDays: days, callbacksPerMinute: perMinute } = config.fulfilment;
  const received = await createReceivedCallbacks({
    ...deps,
    isOnlyWriter: deps.stateStore.isOnlyWriter,
    kept: { collection: 'fulfilment_webhook_log', days, job: 'purge-fulfilment-callbacks' },
  });
  const callbacks = createFulfilmentCallbacks({ known, received, updates, clock });
  const limit = limits.perWindow('fulfilment callbacks', 60);
  return { routes: fulfilmentCallbackRoutes(callbacks, { limit, perMinute }), purge: received.purge };
};
