import type { CommandModule, ModuleDeps } from '#command/engine/module.ts';
import { knowingBuyer } from '#command/engine/knowing-buyer.ts';
import type { Performs } from '#command/engine/run-process.ts';
import { createAddressLimit } from '#http/own-limit.ts';
import { storeUrlOf } from '#runtime/store-url.ts';
import { createCheckoutActions } from './checkout.actions.ts';
import type { CheckoutApi } from './checkout.commands.ts';
import { checkoutRoutes } from './checkout.routes.ts';
import { createCodeAttempts } from './codes/code-attempts.ts';
import { createPayForBasket } from './placement/pay-for-basket.ts';
import { createExpressCheckout } from './express-checkout.ts';
import { placeOrder, type PlacementCalls } from './placement/place-order.process.ts';
import { tooManyOpenInvoices } from './placement/placement.decider.ts';
import { createPlacements } from './placement/placements.actions.ts';
import { unpaidLimits } from './placement/unpaid-limits.ts';
import { basketEndStream } from './checkout.stream.ts';
import { createTaxAuthority } from './tax-authority.ts';
import { termsRoutes } from './pages/terms.routes.ts';
import { checkoutHooks } from './checkout.hooks.ts';

/** What the placement of an order asks outside its streams. */
const placementCalls = ({ apis }: ModuleDeps): Performs<PlacementCalls> => ({
  takeInvoiceNumber: ({ invoiceId, afterRevision }, meta) =>
    apis.orders.takeNumber(invoiceId, afterRevision, meta),
  keepToLimit: async ({ invoiceId, limit, begunBy }) => {
    if (!(await apis.orders.isWithinLimit(invoiceId, begunBy))) throw tooManyOpenInvoices(limit);
  },
});

const isPlacingFor =
  ({ streams, underWay }: ModuleDeps): CheckoutApi['isPlacingFor'] =>
  async (customerId) => {
    for (const basketId of underWay(placeOrder.name)) {
      const { placement } = (await streams.load(basketEndStream, basketId)).state;
      if (placement?.content.customerId === customerId) return true;
    }
    return false;
  };

export const checkout: CommandModule = {
  name: 'checkout',
  beforeHooks: [checkoutHooks],
  processes: [placeOrder],
  create: (deps) => {
    const { limits, settings, config } = deps;
    const storeUrl = storeUrlOf(config, () => settings().websiteUrl);
    const placements = createPlacements({ ...deps, calls: placementCalls(deps) });
    const taxes = createTaxAuthority(deps);
    const newCustomers = createAddressLimit({
      now: () => deps.clock.now(),
      perMinute: () => config.checkout.newCustomersPerMinute,
      message: 'Too many new customers. Please wait a minute and try again.',
    });
    const actions = createCheckoutActions({ ...deps, taxes, newCustomers });
    const codeAttempts = createCodeAttempts(limits, () => settings().discountAttemptsPerMinute);
    const { openInvoicesPerAgent } = deps.config.protocol.ucp;
    const limitsOf = unpaidLimits({ ...deps.config.checkout, openInvoicesPerAgent }, deps.keyedHash);
    const pay = createPayForBasket({ ...deps, taxes, placements, limitsOf });
    return {
      routes: [
        ...knowingBuyer(checkoutRoutes({ ...deps, actions, codeAttempts, storeUrl }), deps),
        ...termsRoutes(deps),
      ],
      drivers: {
        [placeOrder.name]: {
          resume: (basketId, meta) => placements.resume(basketId, null, meta),
          drain: placements.drain,
        },
      },
      actions: {
        checkout: {
          ...actions,
          ...createExpressCheckout({ ...deps, taxes, newCustomers }, actions),
          placeOrder: pay,
          isPlacingFor: isPlacingFor(deps),
        },
      },
    };
  },
};
