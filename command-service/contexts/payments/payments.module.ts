import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandModule, ModuleDeps } from '#command/engine/module.ts';
import type { ProcessDriver } from '#command/engine/resume-processes.ts';
import type { Config } from '#runtime/config.ts';
import { createTiming, type Metrics, type Timing } from '#runtime/metrics.ts';
import { createOrderLinks } from '#runtime/order-links.ts';
import { storeUrlOf } from '#runtime/store-url.ts';
import { acceptPurchaseOrder } from './purchase-orders/accept-purchase-order.process.ts';
import { announceSale } from './announce-sale.process.ts';
import { paymentReturnRoutes } from './sessions/payment-return.routes.ts';
import { createChargesAfterwards } from './charging/charge-afterwards.ts';
import { confirmationRoutes } from './sessions/confirmation.routes.ts';
import type { PaymentReturnActions } from './sessions/payment-return.ts';
import { expressRoutes } from './express/express.routes.ts';
import { lookUpPending } from './sessions/look-up-pending.job.ts';
import type { PendingOutcomes } from './sessions/pending-outcomes.ts';
import { createPendingPayments } from './sessions/pending-payments.ts';
import { createPendingRefunds } from './refunds/pending-refunds.ts';
import { bankChallengeRoutes } from './providers/bank-challenge.routes.ts';
import { widgetRoutes } from './providers/widget.routes.ts';
import { assemblePayments, type AssembledPayments } from './assemble-payments.ts';
import { invoicePaymentRoutes } from './invoice-payments.routes.ts';
import { createOverpayments, overpaymentCheck, type Overpayments } from './refunds/overpayments.ts';
import { noteOutstanding } from './purchase-orders/note-outstanding.process.ts';
import { vaultsOf } from './providers/vaults.ts';
import { paymentRoutes } from './payments.routes.ts';
import { sandboxChargeRoutes } from './providers/sandbox-charges.routes.ts';
import { authorizationRoutes } from './authorizations/authorizations.routes.ts';
import {
  createHeldAuthorizations,
  expiringCheck,
  type HeldAuthorizations,
} from './authorizations/held-authorizations.ts';
import { settleAuthorization } from './authorizations/settle-authorization.process.ts';
import { refundPayment } from './refunds/refund-payment.process.ts';
import { refundRoutes } from './refunds/refunds.routes.ts';
import { settlePayment } from './settle-payment.process.ts';
import { settleUnmatched } from './unmatched/settle-unmatched.process.ts';
import {
  createUnmatchedPayments,
  unmatchedCheck,
  type UnmatchedPayments,
} from './unmatched/unmatched-payments.ts';
import { unmatchedPaymentRoutes } from './unmatched/unmatched-payments.routes.ts';
import { voidSessions } from './sessions/void-sessions.process.ts';
import { timedProvider } from './providers/timed-provider.ts';
import { paymentChecks } from './providers/payment-checks.ts';
import { paymentHooks, purchaseOrderHooks, refundHooks } from './payment.hooks.ts';
import { createPaymentProviderActions } from './providers/payment-providers.actions.ts';
import { paymentProviderRoutes } from './providers/payment-providers.routes.ts';
import { createShopProviders } from './providers/shop-providers.ts';

const returnHostsOf = ({ protocol, publicBaseUrl, storefront }: Config) => ({
  own: protocol.publicBaseUrl || publicBaseUrl || null,
  allowed: storefront.allowedReturnHosts,
});

/** What the payer would do who comes back, without them. */
const lookUpBy =
  ({ completeReturn }: PaymentReturnActions) =>
  async (invoiceId: string): Promise<void> => {
    const actor = { kind: 'system', id: 'look-up-pending' } as const;
    const meta = { correlationId: invoiceId, causationId: 'look-up-pending', actor };
    await completeReturn(null, { invoiceId, parameters: {} }, meta, {
      isForOwner: false,
      invoiceId,
      isOnlyLooking: true,
    });
  };

const driversOf = ({
  settlement,
  authorizations,
  purchaseOrders,
  voiding,
  refunds,
  unmatched,
}: AssembledPayments): Readonly<Record<string, ProcessDriver>> => {
  const settling = { resume: settlement.settle, drain: settlement.drain };
  return {
    [settlePayment.name]: settling,
    [announceSale.name]: settling,
    [noteOutstanding.name]: settling,
    [acceptPurchaseOrder.name]: purchaseOrders,
    [voidSessions.name]: voiding,
    [settleAuthorization.name]: authorizations,
    [refundPayment.name]: refunds,
    [settleUnmatched.name]: unmatched,
  };
};

interface Followed {
  readonly pending: Pick<PendingOutcomes, 'count' | 'takeDue'>;
  readonly pendingRefunds: Pick<PendingOutcomes, 'count' | 'takeDue'>;
  readonly heldAuthorizations: Pick<HeldAuthorizations, 'count' | 'takeExpired'>;
}

interface Measured extends Followed {
  readonly charge: Timing;
  readonly overpayments: Pick<Overpayments, 'countStuck'>;
  readonly unmatchedPayments: Pick<UnmatchedPayments, 'count'>;
  readonly callbacks: { measure(metrics: Metrics): void };
}

/** Looks up what is named as `invoiceId id`. */
const lookUpOf =
  (
    job: string,
    { lookUp }: { readonly lookUp: (invoiceId: string, id: string, meta: CommandMeta) => Promise<unknown> },
  ) =>
  async (owed: string): Promise<void> => {
    const [invoiceId = '', id = ''] = owed.split(' ');
    await lookUp(invoiceId, id, {
      correlationId: id,
      causationId: job,
      actor: { kind: 'system', id: job },
    });
  };

/** Asks providers for what they owe, in case that their callbacks are lost. */
const lookingUp = (
  log: ModuleDeps['log'],
  {
    pending,
    pendingRefunds,
    heldAuthorizations,
    paymentReturns,
    refunds,
    authorizations,
  }: Pick<AssembledPayments, 'paymentReturns' | 'refunds' | 'authorizations'> & Followed,
) => [
  lookUpPending({
    ...pending,
    name: 'look-up-pending',
    schedule: '* * * * *',
    worksOff: 'pending-payments',
    lookUp: lookUpBy(paymentReturns),
    log,
  }),
  lookUpPending({
    ...pendingRefunds,
    name: 'look-up-refunds',
    schedule: '*/10 * * * * *',
    worksOff: 'pending-refunds',
    lookUp: lookUpOf('look-up-refunds', refunds),
    log,
  }),
  lookUpPending({
    takeDue: heldAuthorizations.takeExpired,
    name: 'look-up-authorizations',
    schedule: '*/10 * * * *',
    worksOff: 'held-authorizations',
    lookUp: lookUpOf('look-up-authorizations', authorizations),
    log,
  }),
];

const chargeTiming = (): Timing =>
  createTiming('tillroll_provider_seconds', 'Time of a payment provider to answer a charge or a capture', [
    'provider',
    'call',
    'outcome',
  ]);

const measuring =
  ({ charge, callbacks, ...followed }: Measured) =>
  (metrics: Metrics): void => {
    const { pending, pendingRefunds, overpayments, unmatchedPayments, heldAuthorizations } = followed;
    metrics.timing(charge);
    metrics.gauge('tillroll_pending_payments', 'Payments whose outcome a provider owes', () =>
      pending.count(),
    );
    metrics.gauge('tillroll_pending_refunds', 'Refunds that a provider still has to make', () =>
      pendingRefunds.count(),
    );
    metrics.gauge('tillroll_payments_owed_back', 'Payments owed back that could not be refunded', () =>
      overpayments.countStuck(),
    );
    metrics.gauge('tillroll_payments_unmatched', 'Payments that are on no invoice', () =>
      unmatchedPayments.count(),
    );
    metrics.gauge('tillroll_payments_authorized', 'Payments that are authorised and not captured', () =>
      heldAuthorizations.count(),
    );
    callbacks.measure(metrics);
  };

export const payments: CommandModule<
  readonly [PendingOutcomes, PendingOutcomes, Overpayments, UnmatchedPayments, HeldAuthorizations]
> = {
  name: 'payments',
  beforeHooks: [paymentHooks, purchaseOrderHooks, refundHooks],
  processes: [
    acceptPurchaseOrder,
    settlePayment,
    announceSale,
    noteOutstanding,
    voidSessions,
    settleAuthorization,
    refundPayment,
    settleUnmatched,
  ],
  follows: () => [
    createPendingPayments(),
    createPendingRefunds(),
    createOverpayments(),
    createUnmatchedPayments(),
    createHeldAuthorizations(),
  ],
  create: async (deps, [pending, pendingRefunds, overpayments, unmatchedPayments, heldAuthorizations]) => {
    const { config } = deps;
    const charge = chargeTiming();
    const known = deps.providers.map((provider) => timedProvider(provider, charge));
    const providers = createShopProviders({ ...deps, known, config: config.payments });
    const { given } = config.payments;
    const keeping = createPaymentProviderActions({ ...deps, providers, given });
    const returnHosts = returnHostsOf(config);
    const payments = await assemblePayments(deps, providers, returnHosts.own);
    const { actions, settlement, authorizations, refunds, references, paymentReturns, express, callbacks } =
      payments;
    const lookedUp = { pending, pendingRefunds, heldAuthorizations };
    const find = (id: string) => deps.apis.orders.invoiceOf(id);
    const storefront = { ...deps, providers: providers.offered, returnHosts };
    return {
      routes: [
        ...paymentRoutes({ ...deps, actions, returnHosts }),
        ...paymentReturnRoutes({ ...deps, paymentReturns, returnHosts }),
        ...confirmationRoutes({
          ...deps,
          settlement,
          providers,
          orderLinks: createOrderLinks(deps.keys.applicationKey),
        }),
        ...expressRoutes({
          ...storefront,
          express,
          storeUrl: storeUrlOf(config, () => deps.settings().websiteUrl),
        }),
        ...widgetRoutes({ ...storefront, actions, paymentReturns }),
        ...invoicePaymentRoutes(actions),
        ...callbacks.routes,
        ...unmatchedPaymentRoutes(payments.unmatched, unmatchedPayments),
        ...refundRoutes({ refunds, find }),
        ...authorizationRoutes({ authorizations, find }),
        ...paymentProviderRoutes(keeping),
        ...deps.providers.flatMap(bankChallengeRoutes),
      ],
      testingRoutes: deps.providers.flatMap(sandboxChargeRoutes),
      shopChecks: [
        ...paymentChecks(providers),
        overpaymentCheck(overpayments),
        unmatchedCheck(unmatchedPayments),
        expiringCheck(heldAuthorizations, deps.clock),
        ...callbacks.shopChecks,
      ],
      actions: {
        payments: {
          ...actions,
          ...refunds,
          ...vaultsOf(providers, returnHosts),
          ...createChargesAfterwards({ provider: providers.ever, ownAddress: returnHosts.own }),
          noteOutstanding: settlement.settle,
        },
      },
      jobs: [references.purge, ...lookingUp(deps.log, { ...lookedUp, ...payments }), ...callbacks.jobs],
      drivers: driversOf(payments),
      measure: measuring({ charge, callbacks, overpayments, unmatchedPayments, ...lookedUp }),
    };
  },
};
