import { manualProvider } from '#adapters/payment-providers/manual-provider.ts';
import { listSandboxCharges, sandboxProvider } from '#adapters/payment-providers/sandbox-provider.ts';
import { createRateLimit } from '#http/rate-limit.ts';
import type { Route } from '#http/route.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import type { House } from '../shared-kernel/main.ts';
import { basketContext } from './contexts/basket/basket.context.ts';
import { basketDecider } from './contexts/basket/basket.decider.ts';
import { basketRoutes } from './contexts/basket/basket.routes.ts';
import {
  createCheckoutActions,
  nextBasketId,
  type CheckoutActions,
} from './contexts/checkout/checkout-actions.ts';
import { checkoutRoutes } from './contexts/checkout/checkout.routes.ts';
import { createPayForBasket } from './contexts/checkout/pay-for-basket.ts';
import { createPlacements, type PlacementPorts, type Placements } from './contexts/checkout/place-order.ts';
import { createCustomerActions, type CustomerActions } from './contexts/customers/customer-actions.ts';
import { createInvoiceActions, type InvoiceActions } from './contexts/orders/invoice-actions.ts';
import { sandboxChargeRoutes } from './contexts/payments/sandbox-charges.routes.ts';
import { paymentRoutes } from './contexts/payments/payments.routes.ts';
import { createSettlement, type Settlement } from './contexts/payments/settle-payment.ts';
import type { CommandMeta } from './engine/command-engine.ts';
import { createCommandEngine, type RunningCommandEngine } from './engine/handle-command.ts';
import type { OpenInstance, OpenInstances } from './engine/open-instances.ts';
import { createProcessRunner, type ProcessRunner } from './engine/resume-processes.ts';
import type { CommandDeps } from './engine/service-deps.ts';
import { createManagement, type Management } from './management.ts';

export interface CommandServiceOptions {
  readonly house: House;
  /** Folded by the house's follower. */
  readonly openInstances: OpenInstances;
  readonly settings: () => StoreSettings;
  readonly keyedHash: (kind: string, value: string) => string;
  /** Aliases of the providers that checkout offers, in their order. */
  readonly paymentProviders: readonly string[];
}

export interface CommandService {
  readonly deps: CommandDeps;
  readonly management: Management;
  readonly routes: readonly Route[];
  /** Mounted only where there is a testing secret. */
  readonly testingRoutes: readonly Route[];
  readonly processes: ProcessRunner;
  readonly engine: RunningCommandEngine;
  /** Finishes what is in flight. */
  stop(): Promise<void>;
}

const buildProviders = async (house: House, aliases: readonly string[]): Promise<PaymentProvider[]> => {
  const { stateStore, clock } = house;
  const all = [manualProvider(), await sandboxProvider({ stateStore, clock })];
  return aliases.map((alias) => {
    const provider = all.find((known) => known.alias === alias);
    if (provider) return provider;
    const known = all.map((one) => one.alias).join(', ');
    throw new Error(`Payments.Providers names ${alias}; this shop knows ${known}`);
  });
};

interface Parts {
  readonly deps: CommandDeps;
  readonly management: Management;
  readonly invoices: InvoiceActions;
  readonly customers: CustomerActions;
  readonly checkout: CheckoutActions;
}

const addToBasket = (deps: CommandDeps): Parameters<typeof createCheckoutActions>[0]['addToBasket'] => {
  const contextFor = basketContext(deps);
  return async (basketId, { productId, quantity }, startFor, meta) => {
    const command = { type: 'AddBasketLine', productId, quantity, startFor } as const;
    try {
      await deps.commands.execute({
        decider: basketDecider,
        id: basketId,
        command,
        context: contextFor(command),
        meta,
      });
    } catch (error) {
      // What cannot be bought any more is not carried over to the next basket; a conflict is tried again.
      if (!(error instanceof Rejection) || error.code === 'conflict') throw error;
    }
  };
};

const placementPorts = ({ deps, management, invoices, checkout }: Parts): PlacementPorts => {
  const { stock, discountUses: uses } = management;
  return {
    supersedeInvoice: async (invoiceId, placementId, meta) => {
      await invoices.send(invoiceId, { type: 'SupersedeInvoice', placementId }, meta);
    },
    reserveStock: (holder, hold, meta) => stock.reserve(holder, hold, meta),
    releaseStock: (holder, hold, meta) => stock.release(holder, hold, meta),
    claimDiscount: (holder, discountId, amount, meta) => uses.claim(holder, discountId, amount, meta),
    releaseDiscount: (holder, discountId, meta) => uses.release(holder, discountId, meta),
    takeNumber: invoices.takeNumber,
    createInvoice: async (invoiceId, command, meta) => {
      await invoices.send(invoiceId, command, meta);
    },
    voidInvoice: async (invoiceId, { placementId, content }, invoiceNumber, meta) => {
      const reason = 'the invoice could not be created';
      const { businessDay } = content;
      await invoices.send(
        invoiceId,
        { type: 'VoidInvoice', placementId, invoiceNumber, businessDay, reason },
        meta,
      );
    },
    invoiceNumberPrefix: () => deps.settings().invoiceNumberPrefix,
    complete: checkout.completePlacement,
    fail: checkout.failPlacement,
  };
};

const buildSettlement = (
  { deps, invoices, customers, checkout }: Parts,
  providers: readonly PaymentProvider[],
): Settlement =>
  createSettlement({
    ...deps,
    provider: (alias) => providers.find((provider) => provider.alias === alias),
    recordSale: (invoiceId, { content }, meta) =>
      customers.recordSale(content.customerId, invoiceId, content.businessDay, meta),
    completeBasket: (invoiceId, { content }, meta) => checkout.completeBasket(invoiceId, content, meta),
    confirmSale: async (invoiceId, previousSaleDay, meta) =>
      (await invoices.send(invoiceId, { type: 'ConfirmSale', previousSaleDay }, meta)).position,
  });

const systemMeta = ({ process, id, revision }: OpenInstance): CommandMeta => ({
  correlationId: id,
  causationId: `${process} ${id} ${revision}`,
  actor: { kind: 'system', id: 'process-runner' },
});

/** Sends a placement's steps again, as its opening event says. */
const resumePlacement =
  (placements: Placements, checkout: CheckoutActions) =>
  async (instance: OpenInstance): Promise<void> => {
    const opening = await checkout.openPlacement(instance.id, instance.revision);
    if (opening) await placements.run(instance.id, opening, systemMeta(instance), true);
  };

const startProcesses = (
  { house, openInstances }: CommandServiceOptions,
  placements: Placements,
  settlement: Settlement,
  checkout: CheckoutActions,
): ProcessRunner =>
  createProcessRunner({
    open: openInstances,
    leases: house.leases,
    log: house.log,
    whenReady: async () => {
      await house.follower.waitFor(await house.store.head(), 60_000);
    },
    resume: {
      'place-order': resumePlacement(placements, checkout),
      'settle-payment': async (instance) => {
        await settlement.settle(instance.id, systemMeta(instance));
      },
    },
  });

/** Puts the command service together: everything that changes something. Adapters are chosen here. */
export const createCommandService = async (options: CommandServiceOptions): Promise<CommandService> => {
  const { house, settings, keyedHash } = options;
  const { store, stateStore, clock, reference, follower, codec, log } = house;
  const engine = createCommandEngine({ store, codec, stateStore, clock, reference: follower, log });
  const deps: CommandDeps = { commands: engine, reference, clock, settings, stateStore, store, keyedHash };
  const invoices = createInvoiceActions(deps);
  const management = createManagement(deps);
  const customers = createCustomerActions({ commands: engine, claims: management.claims });
  const checkout = createCheckoutActions({ ...deps, addToBasket: addToBasket(deps), codec });
  const parts: Parts = { deps, management, invoices, customers, checkout };
  const placements = createPlacements(placementPorts(parts));
  const providers = await buildProviders(house, options.paymentProviders);
  const settlement = buildSettlement(parts, providers);
  const placeOrder = createPayForBasket({
    checkout,
    placements,
    settings,
    lastNumberRevision: invoices.lastNumberRevision,
  });
  const processes = startProcesses(options, placements, settlement, checkout);
  return {
    deps,
    management,
    engine,
    processes,
    testingRoutes: sandboxChargeRoutes(() => listSandboxCharges(stateStore)),
    routes: [
      ...basketRoutes(deps),
      ...checkoutRoutes({
        ...deps,
        checkout,
        ensureCustomer: customers.ensure,
        discountAttempts: createRateLimit(60),
      }),
      ...management.routes,
      ...paymentRoutes({
        ...deps,
        settlement,
        providers,
        placeOrder,
        nextBasketOf: async (basketId) => {
          const next = nextBasketId(basketId);
          return (await checkout.load(next)).basket === null ? null : next;
        },
      }),
    ],
    stop: async () => {
      await processes.stop();
      await Promise.all([placements.drain(), settlement.drain()]);
      await engine.drain();
    },
  };
};
