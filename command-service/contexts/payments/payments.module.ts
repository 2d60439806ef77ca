import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandModule, ModuleDeps } from '#command/engine/module.ts';
import type { Config } from '#runtime/config.ts';
import { createTiming } from '#runtime/metrics.ts';
import { owedPayments, type KnownInvoice } from '../orders/invoice.state.ts';
import { acceptPurchaseOrder } from './accept-purchase-order.process.ts';
import { announceSale } from './announce-sale.process.ts';
import { createInvoiceFinder } from './ask-provider.ts';
import { openCallbacks } from './open-callbacks.ts';
import { configuredProviders } from './configured-providers.ts';
import { invoicePaymentRoutes } from './invoice-payments.routes.ts';
import { noteOutstanding } from './note-outstanding.process.ts';
import { createPaymentActions } from './payments.actions.ts';
import { createPurchaseOrders } from './purchase-orders.actions.ts';
import { paymentRoutes } from './payments.routes.ts';
import { createPaymentReferences } from './payment-references.ts';
import { createProviderPayments } from './provider-payments.actions.ts';
import { sandboxChargeRoutes } from './sandbox-charges.routes.ts';
import { refundPayment } from './refund-payment.process.ts';
import { createPaymentFinder } from './find-payment.ts';
import { refundRoutes } from './refunds.routes.ts';
import { createRefunds, type Refunds } from './refunds.actions.ts';
import { settlePayment } from './settle-payment.process.ts';
import { createSettlement } from './settle-payment.ts';
import { createVoiding, type Voiding } from './void-sessions.ts';
import { voidSessions } from './void-sessions.process.ts';
import { timedProvider } from './timed-provider.ts';
import { paymentChecks } from './payment-checks.ts';
import { paymentNotices, refundNotices } from './payment.notices.ts';

const returnHostsOf = ({ protocol, publicBaseUrl, storefront }: Config) => ({
  own: protocol.publicBaseUrl || publicBaseUrl,
  allowed: storefront.allowedReturnHosts,
});

/** In the background: nobody waits for a provider to close a session, or to give back. What fails is driven again. */
const afterwardsOf =
  ({ voiding, refunds, log }: { voiding: Voiding; refunds: Refunds; log: ModuleDeps['log'] }) =>
  (invoiceId: string, invoice: KnownInvoice, cause: CommandMeta): void => {
    const inBackground = (work: Promise<unknown>, what: string): void => {
      work.catch((err: unknown) => log.warn({ invoiceId, err }, what));
    };
    if (invoice.sessionsToVoid.length > 0)
      inBackground(voiding.resume(invoiceId, cause), 'sessions could not be closed yet');
    if (owedPayments(invoice).length > 0)
      inBackground(refunds.resume(invoiceId, cause), 'money could not be given back yet');
  };

export const payments: CommandModule = {
  name: 'payments',
  notices: [paymentNotices, refundNotices],
  processes: [acceptPurchaseOrder, settlePayment, announceSale, noteOutstanding, voidSessions, refundPayment],
  create: async (deps) => {
    const { config } = deps;
    const charge = createTiming(
      'tillroll_provider_seconds',
      'Time of a payment provider to answer a charge',
      ['provider', 'outcome'],
    );
    const providers = configuredProviders(deps.providers, config.payments.providers).map((provider) =>
      timedProvider(provider, charge),
    );
    const offered = providers.filter(({ alias }) => config.payments.offered.includes(alias));
    const provider = (alias: string) => providers.find((one) => one.alias === alias);
    // What is offered no more still gives back what it took.
    const providerEver = (alias: string) =>
      provider(alias) ?? deps.providers.find((one) => one.alias === alias);
    const refunds = createRefunds({ ...deps, provider: providerEver });
    const returnHosts = returnHostsOf(config);
    const finder = await createPaymentFinder(deps);
    const references = await createPaymentReferences(deps);
    const voiding = createVoiding({ ...deps, provider });
    const settlement = createSettlement({
      ...deps,
      provider,
      references,
      ownAddress: returnHosts.own,
      afterwards: afterwardsOf({ voiding, refunds, log: deps.log }),
    });
    const invoiceOf = createInvoiceFinder(references, provider);
    const purchaseOrders = createPurchaseOrders({ ...deps, settlement });
    const actions = {
      ...createPaymentActions({ ...deps, settlement, purchaseOrders, providers: offered }),
      ...createProviderPayments({ settlement, references, invoiceOf }),
    };
    const callbacks = await openCallbacks(deps, { provider, payments: actions });
    return {
      routes: [
        ...paymentRoutes({ ...deps, actions, providers: offered, returnHosts }),
        ...invoicePaymentRoutes(actions),
        ...callbacks.routes,
        ...refundRoutes({ refunds, find: finder.find }),
      ],
      testingRoutes: deps.providers.flatMap(sandboxChargeRoutes),
      shopChecks: paymentChecks(offered),
      actions: { payments: { ...actions, ...refunds } },
      jobs: [references.purge, finder.job, ...callbacks.jobs],
      drivers: {
        [settlePayment.name]: { resume: settlement.settle, drain: settlement.drain },
        [announceSale.name]: { resume: settlement.settle, drain: settlement.drain },
        [noteOutstanding.name]: { resume: settlement.settle, drain: settlement.drain },
        [acceptPurchaseOrder.name]: purchaseOrders,
        [voidSessions.name]: voiding,
        [refundPayment.name]: refunds,
      },
      measure: (metrics) => {
        metrics.timing(charge);
        callbacks.measure(metrics);
      },
    };
  },
};
