import type { CommandModule } from '#command/engine/module.ts';
import type { Config } from '#runtime/config.ts';
import { createTiming } from '#runtime/metrics.ts';
import { acceptPurchaseOrder } from './accept-purchase-order.process.ts';
import { announceSale } from './announce-sale.process.ts';
import { comeBackRoutes } from './come-back.routes.ts';
import { confirmationRoutes } from './confirmation.routes.ts';
import { assemblePayments } from './assemble-payments.ts';
import { invoicePaymentRoutes } from './invoice-payments.routes.ts';
import { noteOutstanding } from './note-outstanding.process.ts';
import { vaultsOf } from './vaults.ts';
import { paymentRoutes } from './payments.routes.ts';
import { sandboxChargeRoutes } from './sandbox-charges.routes.ts';
import { refundPayment } from './refund-payment.process.ts';
import { createPaymentFinder } from './find-payment.ts';
import { refundRoutes } from './refunds.routes.ts';
import { settlePayment } from './settle-payment.process.ts';
import { voidSessions } from './void-sessions.process.ts';
import { timedProvider } from './timed-provider.ts';
import { paymentChecks } from './payment-checks.ts';
import { paymentNotices, purchaseOrderNotices, refundNotices } from './payment.notices.ts';
import { createPaymentProviderActions } from './payment-providers.actions.ts';
import { paymentProviderRoutes } from './payment-providers.routes.ts';
import { createShopProviders } from './shop-providers.ts';
import { chargingWhole } from './whole-charge.ts';

const returnHostsOf = ({ protocol, publicBaseUrl, storefront }: Config) => ({
  own: protocol.publicBaseUrl || publicBaseUrl,
  allowed: storefront.allowedReturnHosts,
});

export const payments: CommandModule = {
  name: 'payments',
  notices: [paymentNotices, purchaseOrderNotices, refundNotices],
  processes: [acceptPurchaseOrder, settlePayment, announceSale, noteOutstanding, voidSessions, refundPayment],
  create: async (deps) => {
    const { config } = deps;
    const charge = createTiming(
      'tillroll_provider_seconds',
      'Time of a payment provider to answer a charge',
      ['provider', 'outcome'],
    );
    const known = deps.providers.map((provider) => timedProvider(chargingWhole(provider), charge));
    const providers = createShopProviders({ ...deps, known, config: config.payments });
    const { given } = config.payments;
    const keeping = createPaymentProviderActions({ ...deps, providers, given });
    const returnHosts = returnHostsOf(config);
    const finder = await createPaymentFinder(deps);
    const payments = await assemblePayments(deps, providers, returnHosts.own);
    const { actions, settlement, purchaseOrders, refunds, voiding } = payments;
    const { references, comingBack, callbacks } = payments;
    return {
      routes: [
        ...paymentRoutes({ ...deps, actions, returnHosts }),
        ...comeBackRoutes({ ...deps, comingBack }),
        ...confirmationRoutes({ ...deps, settlement, providers }),
        ...invoicePaymentRoutes(actions),
        ...callbacks.routes,
        ...refundRoutes({ refunds, find: finder.find }),
        ...paymentProviderRoutes(keeping),
      ],
      testingRoutes: deps.providers.flatMap(sandboxChargeRoutes),
      shopChecks: paymentChecks(providers),
      actions: { payments: { ...actions, ...refunds, ...vaultsOf(providers, returnHosts) } },
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
