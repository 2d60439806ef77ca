import type { RateLimits } from '#http/rate-limit.ts';
import type { Route } from '#http/route.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { House } from '../shared-kernel/house.ts';
import { basketRoutes } from './contexts/basket/basket.routes.ts';
import { createBasketActions, type BasketActions } from './contexts/basket/basket.actions.ts';
import { createCheckoutActions, type CheckoutActions } from './contexts/checkout/checkout.actions.ts';
import { tooManyOpenInvoices } from './contexts/checkout/placement.decider.ts';
import { createPlacements, type Placements } from './contexts/checkout/placements.actions.ts';
import { createExpiry, type Expiry } from './contexts/orders/expiry.actions.ts';
import { checkoutRoutes } from './contexts/checkout/checkout.routes.ts';
import { createCodeAttempts } from './contexts/checkout/code-attempts.ts';
import { createPayForBasket } from './contexts/checkout/pay-for-basket.ts';
import { createCustomerActions, type CustomerActions } from './contexts/customers/customer.actions.ts';
import { createInvoiceNumbers, type InvoiceNumbers } from './contexts/orders/invoice-numbers.actions.ts';
import type { UnpaidInvoices } from './contexts/orders/unpaid-invoices.ts';
import { invoicePaymentRoutes } from './contexts/payments/invoice-payments.routes.ts';
import { createPaymentActions, type PaymentActions } from './contexts/payments/payments.actions.ts';
import { paymentRoutes, type PaymentRouteDeps } from './contexts/payments/payments.routes.ts';
import { createSettlement, type Settlement } from './contexts/payments/settle-payment.ts';
import type { CommandMeta } from './engine/command-engine.ts';
import type { OpenInstance, OpenInstances } from './engine/open-instances.ts';
import type { RunAlone } from './engine/run-alone.ts';
import { createProcessRunner, type ProcessRunner } from './engine/resume-processes.ts';
import type { CommandDeps } from './engine/service-deps.ts';
import { clientNetwork } from '#values/client-network.ts';
import { createManagement, type Management } from './management.ts';

/** The head of the log is reached long before; reference state says so itself when it is not. */
const READY_MILLISECONDS = 60_000;
/** Of a keyed hash: 96 bits are enough to tell addresses apart. */
const ADDRESS_CHARACTERS = 16;

interface Parts {
  readonly deps: CommandDeps;
  readonly management: Management;
  readonly numbers: InvoiceNumbers;
  readonly customers: CustomerActions;
  readonly baskets: BasketActions;
  readonly checkout: CheckoutActions;
  /** For the instances of processes. */
  readonly runAlone: RunAlone;
  readonly unpaid: UnpaidInvoices;
  /** Resolves once what follows the log has reached its head as it is now. */
  readonly reachHead: () => Promise<void>;
}

const buildPlacements = ({ deps, numbers, unpaid, reachHead, runAlone }: Parts): Placements =>
  createPlacements({
    ...deps,
    runAlone,
    calls: {
      takeInvoiceNumber: (
        { invoiceId, afterRevision }: { readonly invoiceId: string; readonly afterRevision: number },
        meta,
      ) => numbers.take(invoiceId, afterRevision, meta),
      keepToLimit: async ({ invoiceId, limit }: { readonly invoiceId: string; readonly limit: number }) => {
        if (unpaid.isWithinLimit(invoiceId) === null) await reachHead();
        if (unpaid.isWithinLimit(invoiceId) === false) throw tooManyOpenInvoices(limit);
      },
    },
  });

const systemMeta = ({ process, id, revision }: OpenInstance): CommandMeta => ({
  correlationId: id,
  causationId: `${process} ${id} ${revision}`,
  actor: { kind: 'system', id: 'process-runner' },
});

/** Finishes placements and settlements that a crash left open. */
export const buildProcesses = (
  house: House,
  openInstances: OpenInstances,
  { placements, settlement, expiry }: Checkout,
): ProcessRunner =>
  createProcessRunner({
    open: openInstances,
    leases: house.leases,
    isOnlyWriter: house.store.isOnlyWriter,
    log: house.log,
    whenReady: async () => {
      await house.follower.waitFor(await house.store.head(), READY_MILLISECONDS);
    },
    resume: {
      'place-order': async (instance) => {
        await placements.resume(instance.id, null, systemMeta(instance));
      },
      'settle-payment': async (instance) => {
        await settlement.settle(instance.id, systemMeta(instance));
      },
      'expire-invoice': (instance) => expiry.resume(instance.id, systemMeta(instance)),
    },
  });

/** A provider of the shop; some are not for shoppers. */
export interface ShopProvider extends PaymentProvider {
  readonly isOffered: boolean;
}

export interface Checkout extends Parts {
  readonly payments: PaymentActions;
  readonly settlement: Settlement;
  readonly placements: Placements;
  readonly expiry: Expiry;
  readonly providers: readonly ShopProvider[];
}

/** The way from a basket to an invoice that can be paid. */
const createPlaceOrder = (
  { deps, numbers, unpaid }: Parts,
  placements: Placements,
  { expireIfDue }: Expiry,
  openInvoicesPerAddress: number,
) =>
  createPayForBasket({
    streams: deps.streams,
    placements,
    settings: deps.settings,
    lastNumberRevision: numbers.lastRevision,
    openInvoicesAt: (ip) =>
      openInvoicesPerAddress === 0 || ip === ''
        ? null
        : {
            address: deps.keyedHash('client network', clientNetwork(ip)).slice(0, ADDRESS_CHARACTERS),
            limit: openInvoicesPerAddress,
          },
    expectInvoice: unpaid.expect,
    expireIfDue,
  });

export interface CheckoutOptions extends Pick<Parts, 'runAlone' | 'unpaid' | 'reachHead'> {
  /** 0: no limit. */
  readonly openInvoicesPerAddress: number;
}

/** Joins the contexts between a basket and a sale: what one asks of another is handed on here. */
export const buildCheckout = (
  deps: CommandDeps,
  providers: readonly ShopProvider[],
  { openInvoicesPerAddress, ...given }: CheckoutOptions,
): Checkout => {
  const management = createManagement(deps);
  const numbers = createInvoiceNumbers(deps);
  const customers = createCustomerActions({ ...deps, claims: management.claims });
  const baskets = createBasketActions(deps);
  const checkout = createCheckoutActions({ ...deps, ensureCustomer: customers.ensure });
  const parts: Parts = { deps, management, numbers, customers, baskets, checkout, ...given };
  const settlement = createSettlement({
    ...deps,
    runAlone: given.runAlone,
    provider: (alias) => providers.find((provider) => provider.alias === alias),
  });
  const placements = buildPlacements(parts);
  const expiry = createExpiry(deps);
  const placeOrder = createPlaceOrder(parts, placements, expiry, openInvoicesPerAddress);
  const offered = providers.filter(({ isOffered }) => isOffered);
  const payments = createPaymentActions({ ...deps, settlement, providers: offered, placeOrder });
  return { ...parts, payments, providers, placements, expiry, settlement };
};

/** What the shop's routes take from outside the contexts. */
export interface RouteOptions extends Pick<PaymentRouteDeps, 'returnHosts'> {
  readonly limits: RateLimits;
}

export const shopRoutes = (
  { deps, ...parts }: Checkout,
  { limits, returnHosts }: RouteOptions,
): readonly Route[] => {
  const { checkout, management, payments, providers, settlement } = parts;
  const codeAttempts = createCodeAttempts(limits, () => deps.settings().discountAttemptsPerMinute);
  return [
    ...basketRoutes(parts.baskets, deps.settings),
    ...checkoutRoutes({ ...deps, actions: checkout, codeAttempts }),
    ...paymentRoutes({
      ...deps,
      actions: payments,
      providers: providers.filter(({ isOffered }) => isOffered),
      returnHosts,
    }),
    ...invoicePaymentRoutes(settlement),
    ...management.routes,
  ];
};
