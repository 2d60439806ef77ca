import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { ModuleDeps } from '#command/engine/module.ts';
import { owedPayments, type KnownInvoice } from '../invoices/invoice.state.ts';
import { checkoutStream } from '../checkout/checkout.stream.ts';
import { isGuid } from '#kernel/ids.ts';
import {
  createAuthorizationDriver,
  createAuthorizations,
  type AuthorizationDriver,
} from './authorizations/authorizations.actions.ts';
import { createMemberPayments } from './agents/member-payments.ts';
import { createPayForAgent } from './agents/pay-for-agent.ts';
import { createPaidByNow } from './agents/standing-payment.ts';
import { createInvoiceFinder, type OrderOfBasket } from './providers/ask-provider.ts';
import type { PaymentsApi } from '../invoices/payments/payment.commands.ts';
import { openCallbacks } from './callbacks/open-callbacks.ts';
import { createPaymentReturns } from './sessions/payment-return.ts';
import { createExpressActions } from './express/express.ts';
import { createPaymentActions } from './payments.actions.ts';
import { createPurchaseOrders } from './purchase-orders/purchase-orders.actions.ts';
import { createPaymentReferences } from './providers/payment-references.ts';
import { createProviderPayments } from './callbacks/provider-payments.actions.ts';
import { createRefunds, type Refunds } from './refunds/refunds.actions.ts';
import { createSettlement } from './settle-payment.ts';
import type { ShopProviders } from './providers/shop-providers.ts';
import { createStartSession } from './sessions/start-session.ts';
import { createUnmatchedActions } from './unmatched/unmatched-payments.actions.ts';
import { createVoiding, type Voiding } from './sessions/void-sessions.ts';

const VOIDED_AT_ONCE = 20;

/** In the background: no caller waits for a provider to close a session, or to refund. What fails is driven again. */
const backgroundOf = ({
  voiding,
  authorizing,
  refunds,
  log,
  apis,
}: {
  readonly voiding: Voiding;
  readonly authorizing: AuthorizationDriver;
  readonly refunds: Refunds;
  readonly log: ModuleDeps['log'];
  readonly apis: ModuleDeps['apis'];
}) => {
  const inBackground = (invoiceId: string, work: Promise<unknown>, what: string): void => {
    work.catch((err: unknown) => log.warn({ invoiceId, err }, what));
  };
  let atOnce = 0;
  const voidSessions = (invoiceId: string, cause: CommandMeta): void => {
    // Thousands may expire in a minute: the process runner takes up the others.
    if (atOnce >= VOIDED_AT_ONCE) return;
    atOnce++;
    const ended = voiding.resume(invoiceId, cause).finally(() => atOnce--);
    inBackground(invoiceId, ended, 'sessions could not be closed yet');
  };
  const voidAuthorizations = (invoiceId: string, cause: CommandMeta): void =>
    inBackground(invoiceId, authorizing.resume(invoiceId, cause), 'money could not be let go yet');
  return {
    voidSessions,
    voidAuthorizations,
    afterwards: (invoiceId: string, invoice: KnownInvoice, cause: CommandMeta): void => {
      if (invoice.sessionsToVoid.length > 0) voidSessions(invoiceId, cause);
      if (invoice.authorizations.some(({ ask }) => ask?.kind === 'void'))
        voidAuthorizations(invoiceId, cause);
      if (invoice.isToBeMailed)
        inBackground(
          invoiceId,
          apis.downloads.deliver(invoiceId, cause),
          'a buyer could not be told of their files yet',
        );
      if (owedPayments(invoice).length > 0)
        inBackground(invoiceId, refunds.resume(invoiceId, cause), 'money could not be given back yet');
    },
  };
};

/** By its own stream: an intent is made before there is an invoice (docs/rules/express-checkout.md#intents). */
const orderOfBasket =
  (streams: ModuleDeps['streams']): OrderOfBasket =>
  async (basketId) => {
    if (!isGuid(basketId)) return undefined;
    const { state, revision } = await streams.load(checkoutStream, basketId);
    return revision < 0 ? undefined : (state.order?.invoiceId ?? null);
  };

/** What pays, records and gives back, put together. */
export const assemblePayments = async (
  deps: ModuleDeps,
  { known, offered, toAgents, find, ever: provider }: ShopProviders,
  ownAddress: string | null,
) => {
  const refunds = createRefunds({ ...deps, provider });
  const references = await createPaymentReferences(deps);
  const voiding = createVoiding({ ...deps, provider });
  const authorizing = createAuthorizationDriver({ ...deps, provider });
  const { afterwards, ...inBackground } = backgroundOf({ ...deps, voiding, authorizing, refunds });
  const settlement = createSettlement({ ...deps, provider, references, ownAddress, afterwards });
  // Strangers cannot make the shop call a provider that it never chose.
  const meant = createInvoiceFinder(references, find, orderOfBasket(deps.streams));
  const invoiceOf: PaymentsApi['invoiceOf'] = async (...asked) => (await meant(...asked)).invoiceId;
  const providerPayments = createProviderPayments({ ...deps, settlement, references, invoiceOf, provider });
  const authorizations = createAuthorizations({ ...deps, driver: authorizing, settlement });
  const startSession = createStartSession({ ...deps, settlement, references });
  const purchaseOrders = createPurchaseOrders({ ...deps, settlement });
  const { voidSessions } = inBackground;
  const paying = { ...deps, settlement, startSession, voidSessions, providerPayments };
  const actions = {
    ...createPaymentActions({ ...paying, purchaseOrders, providers: offered }),
    payForAgent: createPayForAgent({ ...paying, purchaseOrders, providers: toAgents }),
    ofMember: createMemberPayments({ ...deps, providers: toAgents }),
    paidByNow: createPaidByNow(settlement),
    offeredToAgents: toAgents,
    ...providerPayments,
    ...inBackground,
  };
  const paymentReturns = createPaymentReturns({
    ...deps,
    settlement,
    providers: known,
    payments: providerPayments,
    invoiceOf,
  });
  const record = providerPayments.recordProviderPayment;
  const unmatched = createUnmatchedActions({ ...deps, provider, record, meant });
  const express = createExpressActions({
    ...deps,
    isGivenBack: unmatched.isGivenBack,
    settlement,
    references,
    providerPayments,
    providers: offered,
  });
  // Only of providers that the shop has now: no other can sign.
  const callbacks = await openCallbacks(deps, {
    provider: find,
    payments: { ...actions, meant },
    unmatched,
  });
  const drivers = { settlement, authorizations, purchaseOrders, refunds, voiding, unmatched };
  return { actions, ...drivers, references, paymentReturns, express, callbacks };
};

export type AssembledPayments = Awaited<ReturnType<typeof assemblePayments>>;
