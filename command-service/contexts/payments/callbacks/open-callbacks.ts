import type { ModuleDeps } from '#command/engine/module.ts';
import { createReceivedCallbacks } from '#command/engine/received-callbacks.ts';
import { createTiming, type Metrics } from '#runtime/metrics.ts';
import { createPaymentDifferences } from './payment-differences.ts';
import { createParkedCallbacks } from './parked-callbacks.ts';
import { createProviderCallbacks } from './provider-callbacks.actions.ts';
import { providerCallbackRoutes } from './provider-callbacks.routes.ts';
import { simulateCallbackRoute } from './simulate-callback.routes.ts';
import { createCallbackRouter, createCallbackRouting } from './route-callback.ts';
import type { RouteCallbackDeps } from './handle-callback.ts';

/** Everything that takes what payment providers tell (docs/rules/payment-callbacks.md). */
export const openCallbacks = async (
  deps: ModuleDeps,
  { provider, payments, unmatched }: Pick<RouteCallbackDeps, 'provider' | 'payments' | 'unmatched'>,
) => {
  const { config, limits } = deps;
  const differences = await createPaymentDifferences(deps);
  const route = createCallbackRouting({ ...deps, provider, payments, differences, unmatched });
  const parked = await createParkedCallbacks({
    ...deps,
    overdue: async (alias, event, meta) => {
      if (event.type === 'PaymentCompleted') await unmatched.receive(alias, event, meta);
    },
    apply: async (alias, event, meta) => (await route(alias, event, meta)) !== 'early',
  });
  const received = await createReceivedCallbacks({ ...deps, isOnlyWriter: deps.stateStore.isOnlyWriter });
  const timing = createTiming(
    'tillroll_callback_seconds',
    'Time to process what a payment provider tells, by what came of it',
    ['provider', 'outcome'],
  );
  const callbacks = createProviderCallbacks({
    ...deps,
    provider,
    received,
    route: createCallbackRouter(route, parked),
    timing,
  });
  return {
    routes: [
      ...providerCallbackRoutes(callbacks, {
        limit: limits.perWindow('payment callbacks', 60),
        perMinute: config.payments.callbacksPerMinute,
      }),
      simulateCallbackRoute(callbacks, config.isProduction),
    ],
    jobs: [received.purge, parked.applyDue, differences.purge],
    shopChecks: [differences.check],
    measure: (metrics: Metrics): void => metrics.timing(timing),
  };
};
