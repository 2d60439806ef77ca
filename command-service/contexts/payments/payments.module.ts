import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandModule, ModuleDeps } from '#command/engine/module.ts';
import type { Config } from '#runtime/config.ts';
import { createTiming } from '#runtime/metrics.ts';
import type { KnownInvoice } from '../orders/invoice.state.ts';
import { announceSale } from './announce-sale.process.ts';
import { createInvoiceFinder } from './ask-provider.ts';
import { configuredProviders } from './configured-providers.ts';
import { invoicePaymentRoutes } from './invoice-payments.routes.ts';
import { createPaymentActions } from './payments.actions.ts';
import { paymentRoutes } from './payments.routes.ts';
import { createPaymentReferences } from './payment-references.ts';
import { createProviderPayments } from './provider-payments.actions.ts';
import { sandboxChargeRoutes } from './sandbox-charges.routes.ts';
import { settlePayment } from './settle-payment.process.ts';
import { createSettlement } from './settle-payment.ts';
import { createVoiding, type Voiding } from './void-sessions.ts';
import { voidSessions } from './void-sessions.process.ts';
import { timedProvider } from './timed-provider.ts';
import { paymentChecks } from './payment-checks.ts';
import { paymentNotices } from './payment.notices.ts';

const returnHostsOf = ({ protocol, publicBaseUrl, storefront }: Config) => ({
  own: protocol.publicBaseUrl || publicBaseUrl,
  allowed: storefront.allowedReturnHosts,
});

/** In the background: nobody waits for a provider to close a session. What fails is driven again. */
const voidingOf =
  (voiding: Voiding, log: ModuleDeps['log']) =>
  (invoiceId: string, { sessionsToVoid }: KnownInvoice, cause: CommandMeta): void => {
    if (sessionsToVoid.length === 0) return;
    voiding.resume(invoiceId, cause).catch((err: unknown) => {
      log.warn({ invoiceId, err }, 'sessions could not be closed yet');
    });
  };

export const payments: CommandModule = {
  name: 'payments',
  notices: [paymentNotices],
  processes: [settlePayment, announceSale, voidSessions],
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
    const returnHosts = returnHostsOf(config);
    const references = await createPaymentReferences(deps);
    const voiding = createVoiding({ ...deps, provider });
    const settlement = createSettlement({
      ...deps,
      provider,
      references,
      ownAddress: returnHosts.own,
      afterwards: voidingOf(voiding, deps.log),
    });
    const invoiceOf = createInvoiceFinder(references, provider);
    const actions = {
      ...createPaymentActions({ ...deps, settlement, providers: offered }),
      ...createProviderPayments({ settlement, references, invoiceOf }),
    };
    return {
      routes: [
        ...paymentRoutes({ ...deps, actions, providers: offered, returnHosts }),
        ...invoicePaymentRoutes(actions),
      ],
      testingRoutes: deps.providers.flatMap(sandboxChargeRoutes),
      shopChecks: paymentChecks(offered),
      actions: { payments: actions },
      jobs: [references.purge],
      drivers: {
        [settlePayment.name]: { resume: settlement.settle, drain: settlement.drain },
        [announceSale.name]: { resume: settlement.settle, drain: settlement.drain },
        [voidSessions.name]: voiding,
      },
      measure: (metrics) => metrics.timing(charge),
    };
  },
};
