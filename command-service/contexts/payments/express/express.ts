import type { CommandMeta } from '#command/engine/command-engine.ts';
import { withProviderTimeout, PROVIDER_TIMEOUT_MILLISECONDS } from '#command/engine/provider-timeout.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { figuresOf } from '#events/basket-view.ts';
import { defined } from '#kernel/defined.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { ProviderPayment } from '#ports/payment-requests.ts';
import { presentationFor } from '#reference/presentation.ts';
import { displayFigures } from '#values/exchange.ts';
import type { Buyer, ExpressCustomer } from '../../checkout/checkout.commands.ts';
import type { KnownInvoice } from '../../invoices/invoice.state.ts';
import type { PaidFrom } from '../providers/order-request.ts';
import { settledPayment } from '../providers/ask-provider.ts';
import { createChargeInvoice } from '../charging/charge-invoice.ts';
import { expressMethodOf, providerOf } from '../providers/offered-methods.ts';
import { knownInvoice, paidInvoice, type Paid } from '../charging/own-invoice.ts';
import { outcomeOf, transactionOutcome, type KnownOutcome } from '../charging/payment-outcome.ts';
import type { PaymentReferences } from '../providers/payment-references.ts';
import type { ProviderPayments } from '../callbacks/provider-payments.actions.ts';
import type { UnmatchedActions } from '../unmatched/unmatched-payments.actions.ts';
import type { Settlement } from '../settle-payment.ts';
import { payableNow, providerUnavailable, type ChosenWay } from '../sessions/start-session.ts';

interface ExpressDeps extends CommandDeps {
  readonly settlement: Settlement;
  readonly references: Pick<PaymentReferences, 'bind'>;
  readonly providerPayments: ProviderPayments;
  readonly providers: () => readonly PaymentProvider[];
  readonly isGivenBack: UnmatchedActions['isGivenBack'];
}

/** What a wallet pays with, and what it says of its owner. */
export interface ExpressPayment {
  readonly providerAlias: string;
  readonly methodAlias?: string | null | undefined;
  readonly token: string;
  /** An intent that was made before, bound to the basket and its amount. */
  readonly intentId: string | null;
  readonly customer: ExpressCustomer;
}

const chosen = (
  { providers }: ExpressDeps,
  { providerAlias, methodAlias }: Pick<ExpressPayment, 'providerAlias' | 'methodAlias'>,
): ChosenWay => {
  const provider = providerOf(providers(), providerAlias);
  return { provider, method: expressMethodOf(provider, methodAlias) };
};

/** What the shopper's wallet is to show: the figures that the invoice will have. */
const figures =
  (deps: ExpressDeps) => async (basketId: string | null, wantedCurrency: string | undefined) => {
    const { basketId: ofBasket, basket } = await deps.apis.checkout.expressBasket(basketId);
    const { display, storeCurrency } = presentationFor(deps, wantedCurrency);
    const shown = displayFigures(figuresOf(basket), storeCurrency, display);
    return { basketId: ofBasket, basket, figures: shown, currency: display.currency };
  };

/** The most unusable intents that are skipped. */
const INTENTS_TRIED = 10;

/**
 * An intent for the basket's total, whatever the caller says. Asked twice for the same basket and amount, it is the
 * same intent until it is used up.
 */
const createIntent =
  (deps: ExpressDeps) =>
  async (
    basketId: string | null,
    input: Pick<ExpressPayment, 'providerAlias' | 'methodAlias'>,
    { wantedCurrency, shop }: { readonly wantedCurrency: string | undefined; readonly shop: string },
  ) => {
    const { provider, method } = chosen(deps, input);
    if (!provider.start)
      throw new Rejection('invalid-request', `providerAlias: ${provider.alias} makes no intents.`);
    const of = await figures(deps)(basketId, wantedCurrency);
    const amountMinor = of.figures.total;
    if (amountMinor === 0) throw new Rejection('invalid-request', 'There is nothing to pay.');
    const { alias } = provider;
    const price = { amountMinor, currency: of.currency };
    for (let tried = 0; tried < INTENTS_TRIED; tried++) {
      const started = await withProviderTimeout(
        provider.start({
          idempotencyKey: derivedId(
            'express-intent',
            of.basketId,
            alias,
            method.methodAlias,
            amountMinor,
            of.currency,
            tried,
          ),
          methodAlias: method.methodAlias,
          ...price,
          invoiceId: null,
          basketId: of.basketId,
          returnPage: `${shop}/api/shop/checkout/return?provider=${alias}`,
          cancelPage: `${shop}/api/shop/checkout/cancel?provider=${alias}`,
          description: '',
        }),
        PROVIDER_TIMEOUT_MILLISECONDS,
      );
      if (started.kind === 'refused') return { intent: null, problem: started.message };
      if (started.kind !== 'started') throw providerUnavailable();
      const { session } = started;
      const asked = provider.lookUp?.({ transactionId: session.sessionId });
      const known = asked && (await withProviderTimeout(asked, PROVIDER_TIMEOUT_MILLISECONDS));
      if (known?.kind !== 'found' || known.payment.status === 'open')
        return { intent: session, problem: null };
    }
    throw providerUnavailable();
  };

const otherIntent = (): Rejection =>
  new Rejection(
    'intent-mismatch',
    'The payment intent is of another basket or another amount. Nothing was charged; start again.',
  );

const givenBack = () =>
  new Rejection(
    'intent-mismatch',
    'What was paid in this intent has been given back. Nothing was charged; start again.',
  );

/** The intent that a wallet names, if it is of this basket. */
const intentOf = async (
  provider: PaymentProvider,
  intentId: string,
  basketId: string | null,
): Promise<ProviderPayment> => {
  const asked = provider.lookUp?.({ transactionId: intentId });
  const found = asked ? await withProviderTimeout(asked, PROVIDER_TIMEOUT_MILLISECONDS) : null;
  if (found?.kind === 'unavailable' || found?.kind === 'unknownOutcome') throw providerUnavailable();
  if (found?.kind !== 'found' || found.payment.basketId !== basketId) throw otherIntent();
  return found.payment;
};

const isOver = ({ amountMinor, currency }: ProviderPayment, { balance, content }: KnownInvoice): boolean =>
  amountMinor === balance.balanceDue && currency === content.currency;

/** An order that cannot be had says so in a word for programs, too. */
const namingStock = (error: unknown): never => {
  const isStock =
    error instanceof Rejection && (error.code === 'out-of-stock' || error.code === 'items-unavailable');
  if (isStock) Object.assign(error.details, { errorCode: 'STOCK_UNAVAILABLE' });
  throw error;
};

/** Under a key that has bought this basket before there is nothing left to prepare: its order is what is answered. */
const unlessBought =
  ({ commandId }: CommandMeta) =>
  (error: unknown): null => {
    if (commandId === undefined || !(error instanceof Rejection) || error.code !== 'basket-not-found')
      throw error;
    return null;
  };

/** Charges the token, or takes over what was paid in the intent by itself. */
const pay =
  (deps: ExpressDeps) =>
  async (
    invoiceId: string,
    { provider, method }: ChosenWay,
    token: string,
    intent: ProviderPayment | null,
    { ownAddress }: PaidFrom,
    meta: CommandMeta,
  ): Promise<{ readonly outcome: KnownOutcome; readonly position: number }> => {
    const { settlement, references, providerPayments } = deps;
    if (intent && intent.status !== 'open') {
      const reference = intent.transactionId;
      const itsInvoice = await references.bind(provider.alias, reference, invoiceId);
      const settled = await settledPayment(provider, { kind: 'found', payment: intent });
      const payment = settled.kind === 'found' ? settled.payment : intent;
      const of = { provider: provider.alias, sessionId: null };
      const position = await providerPayments.recordFound(itsInvoice, of, payment, meta);
      // It was for an order that was replaced or expired since, and is given back there.
      if (itsInvoice !== invoiceId) throw otherIntent();
      const names = { provider: provider.alias, reference };
      const known = transactionOutcome(await knownInvoice(settlement, invoiceId), names);
      return { outcome: known ?? { kind: 'pending', transactionId: reference }, position };
    }
    const payment = {
      type: 'AttemptPayment',
      provider: provider.alias,
      method: method.methodAlias,
      token,
      tokenHash: deps.keyedHash('payment-token', token),
      ...defined({ ownAddress }),
    } as const;
    const { attemptId, position } = await createChargeInvoice(settlement)(invoiceId, payment, meta);
    const outcome = outcomeOf(await knownInvoice(settlement, invoiceId), attemptId);
    if (outcome.kind === 'notAttempted') throw providerUnavailable();
    if (intent) await closeIntent(provider, intent);
    return { outcome, position };
  };

/** The token has paid: the intent must not take payment as well. If closing fails, a second payment is refunded. */
const closeIntent = async (provider: PaymentProvider, { transactionId }: ProviderPayment): Promise<void> => {
  const idempotencyKey = derivedId('void-intent', provider.alias, transactionId);
  const asked = provider.void?.({ idempotencyKey, transactionId });
  if (asked) await withProviderTimeout(asked, PROVIDER_TIMEOUT_MILLISECONDS);
};

/** Buys a basket with a wallet: its addresses, the cheapest shipping where none was chosen, the order, the payment. */
const express =
  (deps: ExpressDeps) =>
  async (
    basketId: string | null,
    { token, intentId, customer, ...choice }: ExpressPayment,
    buyer: Omit<Buyer, 'isOnAccount'>,
    from: PaidFrom & { readonly ip: string; readonly storeUrl: string | null },
    meta: CommandMeta,
  ): Promise<{ readonly outcome: KnownOutcome; readonly paid: Paid }> => {
    const way = chosen(deps, choice);
    const problem = way.provider.checkToken(token);
    if (problem !== null) throw new Rejection('invalid-request', `paymentToken: ${problem}`);
    const { checkout } = deps.apis;
    const intent = intentId === null ? null : await intentOf(way.provider, intentId, basketId);
    // It was paid long ago, and staff have seen no order for it.
    if (intent && (await deps.isGivenBack(way.provider.alias, intent.transactionId))) throw givenBack();
    const prepared = await checkout
      .prepareExpress(basketId, customer, from, stepMeta(meta))
      .catch(unlessBought(meta))
      .catch(namingStock);
    const wanted = { ...buyer, isOnAccount: false };
    const placed = await checkout.placeOrder(prepared?.basketId ?? basketId, wanted, meta).catch(namingStock);
    const { invoiceId } = placed;
    const invoice = await knownInvoice(deps.settlement, invoiceId);
    if (invoice.balance.paymentStatus === 'Paid') {
      const position = await deps.settlement.settle(invoiceId, meta);
      const payment = invoice.payments.at(-1);
      if (!payment) throw new Error(`invoice ${invoiceId} is paid by nothing`);
      return {
        outcome: { kind: 'completed', payment },
        paid: paidInvoice(deps, invoiceId, invoice, position),
      };
    }
    if (!placed.isNew) await payableNow(deps, invoiceId);
    if (intent && !isOver(intent, invoice)) throw otherIntent();
    const { outcome, position } = await pay(deps)(invoiceId, way, token, intent, from, stepMeta(meta));
    const now = await knownInvoice(deps.settlement, invoiceId);
    return { outcome, paid: paidInvoice(deps, invoiceId, now, Math.max(placed.position, position)) };
  };

/** Wallets (docs/rules/express-checkout.md). */
export const createExpressActions = (deps: ExpressDeps) => ({
  figures: figures(deps),
  createIntent: createIntent(deps),
  express: express(deps),
});

export type ExpressActions = ReturnType<typeof createExpressActions>;
