import type { CommandModule, ModuleDeps } from '#command/engine/module.ts';
import { knowingBuyer } from '#command/engine/knowing-buyer.ts';
import type { Calls } from '#command/engine/run-process.ts';
import { storeUrlOf } from '#runtime/store-url.ts';
import { clientNetwork } from '#values/client-network.ts';
import { createCheckoutActions } from './checkout.actions.ts';
import type { StartPlacement } from './checkout.commands.ts';
import { checkoutRoutes } from './checkout.routes.ts';
import { createCodeAttempts } from './code-attempts.ts';
import { createPayForBasket } from './pay-for-basket.ts';
import { createExpressCheckout } from './express-checkout.ts';
import { placeOrder, type KeepToLimit } from './place-order.process.ts';
import { tooManyOpenInvoices } from './placement.decider.ts';
import { createPlacements } from './placements.actions.ts';
import { createTaxAuthority } from './tax-authority.ts';
import { termsRoutes } from './terms.routes.ts';
import { checkoutNotices } from './checkout.notices.ts';

/** Of a keyed hash: 96 bits are enough to tell addresses apart. */
const ADDRESS_CHARACTERS = 16;

const openInvoicesAt =
  ({ config, keyedHash }: ModuleDeps) =>
  (ip: string): StartPlacement['openInvoices'] => {
    const limit = config.checkout.openInvoicesPerAddress;
    if (limit === 0 || ip === '') return null;
    const address = keyedHash('client network', clientNetwork(ip)).slice(0, ADDRESS_CHARACTERS);
    return { address, limit };
  };

/** What the placement of an order asks outside its streams. */
const placementCalls = ({ neighbours }: ModuleDeps): Calls => ({
  takeInvoiceNumber: (
    { invoiceId, afterRevision }: { readonly invoiceId: string; readonly afterRevision: number },
    meta,
  ) => neighbours.orders.takeNumber(invoiceId, afterRevision, meta),
  keepToLimit: async ({ invoiceId, limit, begunBy }: KeepToLimit) => {
    if (!(await neighbours.orders.isWithinLimit(invoiceId, begunBy))) throw tooManyOpenInvoices(limit);
  },
});

export const checkout: CommandModule = {
  name: 'checkout',
  notices: [checkoutNotices],
  processes: [placeOrder],
  create: (deps) => {
    const { limits, settings, config } = deps;
    const storeUrl = storeUrlOf(config, () => settings().websiteUrl);
    const placements = createPlacements({ ...deps, calls: placementCalls(deps) });
    const taxes = createTaxAuthority(deps);
    const actions = createCheckoutActions({ ...deps, taxes });
    const codeAttempts = createCodeAttempts(limits, () => settings().discountAttemptsPerMinute);
    const pay = createPayForBasket({ ...deps, taxes, placements, openInvoicesAt: openInvoicesAt(deps) });
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
        checkout: { ...actions, ...createExpressCheckout({ ...deps, taxes }, actions), placeOrder: pay },
      },
    };
  },
};
