import type { CommandModule } from '#command/engine/module.ts';
import type { Config } from '#runtime/config.ts';
import { createTiming } from '#runtime/metrics.ts';
import { configuredProviders } from './configured-providers.ts';
import { invoicePaymentRoutes } from './invoice-payments.routes.ts';
import { createPaymentActions } from './payments.actions.ts';
import { paymentRoutes } from './payments.routes.ts';
import { sandboxChargeRoutes } from './sandbox-charges.routes.ts';
import { settlePayment } from './settle-payment.process.ts';
import { createSettlement } from './settle-payment.ts';
import { timedProvider } from './timed-provider.ts';
import { paymentChecks } from './payment-checks.ts';
import { paymentNotices } from './payment.notices.ts';

const returnHostsOf = ({ protocol, publicBaseUrl, storefront }: Config) => ({
  own: protocol.publicBaseUrl || publicBaseUrl,
  allowed: storefront.allowedReturnHosts,
});

export const payments: CommandModule = {
  name: 'payments',
  notices: [paymentNotices],
  processes: [settlePayment],
  create: (deps) => {
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
    const returnHosts = returnHostsOf(config);
    const settlement = createSettlement({ ...deps, provider, ownAddress: returnHosts.own });
    const actions = createPaymentActions({ ...deps, settlement, providers: offered });
    return {
      routes: [
        ...paymentRoutes({ ...deps, actions, providers: offered, returnHosts }),
        ...invoicePaymentRoutes(actions),
      ],
      testingRoutes: deps.providers.flatMap(sandboxChargeRoutes),
      shopChecks: paymentChecks(offered),
      actions: { payments: actions },
      drivers: { [settlePayment.name]: { resume: settlement.settle, drain: settlement.drain } },
      measure: (metrics) => metrics.timing(charge),
    };
  },
};
