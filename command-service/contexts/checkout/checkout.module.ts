import type { CommandModule, ModuleDeps } from '#command/engine/module.ts';
import { knowingBuyer } from '#command/engine/knowing-buyer.ts';
import type { Performs } from '#command/engine/run-process.ts';
import { createAddressLimit } from '#http/own-limit.ts';
import { storeUrlOf } from '#runtime/store-url.ts';
import { clientNetwork } from '#values/client-network.ts';
import { createCheckoutActions } from './checkout.actions.ts';
import type { Buyer, CheckoutApi, StartPlacement } from './checkout.commands.ts';
import { checkoutRoutes } from './checkout.routes.ts';
import { createCodeAttempts } from './codes/code-attempts.ts';
import { createPayForBasket } from './placement/pay-for-basket.ts';
import { createExpressCheckout } from './express-checkout.ts';
import { placeOrder, type PlacementCalls } from './placement/place-order.process.ts';
import { tooManyOpenInvoices } from './placement/placement.decider.ts';
import { createPlacements } from './placement/placements.actions.ts';
import { basketEndStream } from './checkout.stream.ts';
import { createTaxAuthority } from './tax-authority.ts';
import { termsRoutes } from './pages/terms.routes.ts';
import { checkoutHooks } from './checkout.hooks.ts';

/** Of a keyed hash: 96 bits are enough to tell addresses apart. */
const ADDRESS_CHARACTERS = 16;

/** More than anybody has open. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** An assistant with all its buyers is more than an address: it may hold much, but its orders are counted, too. */
const limitsOfAgent = ({ config, keyedHash }: ModuleDeps, agent: string) => {
  const limit = config.protocol.ucp.openInvoicesPerAgent;
  const address = keyedHash('agent', agent).slice(0, ADDRESS_CHARACTERS);
  return { openInvoices: limit === 0 ? null : { address, limit }, largeHolds: null };
};

const limitsOf =
  (deps: ModuleDeps) =>
  ({ ip, agent }: Pick<Buyer, 'ip' | 'agent'>): Pick<StartPlacement, 'openInvoices' | 'largeHolds'> => {
    if (agent !== undefined) return limitsOfAgent(deps, agent);
    const { config, keyedHash } = deps;
    const { openInvoicesPerAddress: limit, heldUnitsPerAddress: units, largeHoldMinutes } = config.checkout;
    if ((limit === 0 && units === 0) || ip === '') return { openInvoices: null, largeHolds: null };
    const address = keyedHash('client network', clientNetwork(ip)).slice(0, ADDRESS_CHARACTERS);
    return {
      openInvoices: { address, limit: limit === 0 ? NO_LIMIT : limit },
      largeHolds: units === 0 ? null : { units, minutes: largeHoldMinutes },
    };
  };

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
    const pay = createPayForBasket({ ...deps, taxes, placements, limitsOf: limitsOf(deps) });
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
