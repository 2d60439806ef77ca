import type { EventDecoder } from '#engine/decode-page.ts';
import type { RateLimits } from '#http/rate-limit.ts';
import type { Route } from '#http/route.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
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
import { createCodeAttempts } from './contexts/checkout/code-attempts.ts';
import { createPayForBasket } from './contexts/checkout/pay-for-basket.ts';
import { createPlacements, type PlacementPorts, type Placements } from './contexts/checkout/place-order.ts';
import { createCustomerActions, type CustomerActions } from './contexts/customers/customer-actions.ts';
import { createInvoiceExpiry, type InvoiceExpiry } from './contexts/orders/expire-invoice.ts';
import { createInvoiceActions, type InvoiceActions } from './contexts/orders/invoice-actions.ts';
import { isExpired } from './contexts/orders/unpaid-invoice.state.ts';
import type { UnpaidInvoices } from './contexts/orders/unpaid-invoices.ts';
import { invoicePaymentRoutes } from './contexts/payments/invoice-payments.routes.ts';
import { paymentRoutes, type PaymentDeps } from './contexts/payments/payments.routes.ts';
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
  readonly invoices: InvoiceActions;
  readonly customers: CustomerActions;
  readonly checkout: CheckoutActions;
  /** For the instances of processes. */
  readonly runAlone: RunAlone;
  readonly unpaid: UnpaidInvoices;
  /** Resolves once what follows the log has reached its head as it is now. */
  readonly reachHead: () => Promise<void>;
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

const placementPorts = (parts: Parts): PlacementPorts => {
  const { deps, management, invoices, checkout, unpaid, reachHead } = parts;
  const { stock, discountUses: uses } = management;
  return {
    supersedeInvoice: async (invoiceId, placementId, meta) => {
      await invoices.send(invoiceId, { type: 'SupersedeInvoice', placementId }, meta);
    },
    reserveStock: (holder, hold, meta) => stock.reserve(holder, hold, meta),
    releaseStock: (holder, hold, meta) => stock.release(holder, hold, meta),
    claimDiscount: (holder, discountId, amount, meta) => uses.claim(holder, discountId, amount, meta),
    releaseDiscount: (holder, discountId, meta) => uses.release(holder, discountId, meta),
    turnOf: async (basketId, placementId) => {
      const { placement } = await checkout.load(basketId);
      return placement?.placementId === placementId ? placement.turn : null;
    },
    resume: checkout.resumePlacement,
    isWithinLimit: async (invoiceId) => {
      if (unpaid.isWithinLimit(invoiceId) === null) await reachHead();
      return unpaid.isWithinLimit(invoiceId) ?? true;
    },
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

const buildExpiry = ({ management, invoices, checkout }: Parts): InvoiceExpiry => {
  const { stock, discountUses: uses } = management;
  return createInvoiceExpiry({
    load: invoices.load,
    cancel: async (invoiceId, meta) =>
      (await invoices.send(invoiceId, { type: 'ExpireInvoice' }, meta)).state,
    heldFor: async (basketId, invoiceId) => {
      const { unpaidInvoice, holds, claimedDiscountIds: discountIds } = await checkout.load(basketId);
      return unpaidInvoice?.invoiceId === invoiceId ? { holds, discountIds } : null;
    },
    releaseStock: (holder, hold, meta) => stock.release(holder, hold, meta),
    releaseDiscount: (holder, discountId, meta) => uses.release(holder, discountId, meta),
    end: async (basketId, placementId, invoiceId, meta) => {
      await checkout.expireOrder(basketId, { placementId, invoiceId }, meta);
    },
  });
};

const buildSettlement = (
  { deps, invoices, customers, checkout, runAlone }: Parts,
  providers: readonly PaymentProvider[],
): Settlement =>
  createSettlement({
    ...deps,
    runAlone,
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
    if (opening) await placements.run(instance.id, opening, systemMeta(instance), { isResumed: true });
  };

/** Finishes placements and settlements that a crash left open. */
export const buildProcesses = (
  house: House,
  openInstances: OpenInstances,
  { placements, settlement, checkout, expiry }: Checkout,
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
      'place-order': resumePlacement(placements, checkout),
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
  readonly settlement: Settlement;
  readonly placements: Placements;
  readonly expiry: InvoiceExpiry;
  readonly providers: readonly ShopProvider[];
}

/** Joins the contexts between a basket and a sale: what one asks of another is handed on here. */
export const buildCheckout = (
  deps: CommandDeps,
  codec: EventDecoder,
  providers: readonly ShopProvider[],
  given: Pick<Parts, 'runAlone' | 'unpaid' | 'reachHead'>,
): Checkout => {
  const { commands } = deps;
  const { runAlone, unpaid } = given;
  const management = createManagement(deps);
  const invoices = createInvoiceActions(deps);
  const customers = createCustomerActions({ commands, claims: management.claims });
  const checkout = createCheckoutActions({
    ...deps,
    addToBasket: addToBasket(deps),
    codec,
    countOpenInvoices: unpaid.countBefore,
  });
  const parts: Parts = { deps, management, invoices, customers, checkout, ...given };
  const placements = createPlacements(placementPorts(parts), runAlone);
  const expiry = buildExpiry(parts);
  return { ...parts, providers, placements, expiry, settlement: buildSettlement(parts, providers) };
};

/** What the shop's routes take from outside the contexts. */
export interface RouteOptions extends Pick<PaymentDeps, 'returnHosts'> {
  readonly limits: RateLimits;
  /** 0: no limit. */
  readonly openInvoicesPerAddress: number;
}

export const shopRoutes = (
  { deps, ...parts }: Checkout,
  { limits, returnHosts, openInvoicesPerAddress }: RouteOptions,
): readonly Route[] => {
  const { checkout, customers, expiry, invoices, management, placements, providers, settlement, unpaid } =
    parts;
  const { lastNumberRevision } = invoices;
  const placeOrder = createPayForBasket({
    checkout,
    placements,
    settings: deps.settings,
    lastNumberRevision,
    openInvoicesAt: (ip) =>
      openInvoicesPerAddress === 0 || ip === ''
        ? null
        : {
            address: deps.keyedHash('client network', clientNetwork(ip)).slice(0, ADDRESS_CHARACTERS),
            limit: openInvoicesPerAddress,
          },
    expectInvoice: unpaid.expect,
    expireIfDue: async (invoiceId, meta) => {
      const invoice = await invoices.load(invoiceId);
      if (invoice.status === 'cancelled') await expiry.resume(invoiceId, meta);
      else if (isExpired(invoice, deps.clock.now(), deps.settings())) await expiry.expire(invoiceId, meta);
    },
  });
  const nextBasketOf = async (basketId: string): Promise<string | null> => {
    const next = nextBasketId(basketId, deps.keyedHash);
    return (await checkout.load(next)).basket === null ? null : next;
  };
  const codeAttempts = createCodeAttempts(limits, () => deps.settings().discountAttemptsPerMinute);
  return [
    ...basketRoutes(deps),
    ...checkoutRoutes({ ...deps, checkout, ensureCustomer: customers.ensure, codeAttempts }),
    ...paymentRoutes({
      ...deps,
      settlement,
      returnHosts,
      providers: providers.filter(({ isOffered }) => isOffered),
      placeOrder,
      nextBasketOf,
    }),
    ...invoicePaymentRoutes(settlement),
    ...management.routes,
  ];
};
