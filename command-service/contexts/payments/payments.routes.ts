import { metaOf } from '#command/engine/request-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { checkoutBasketAnswer } from '#contracts/basket-answer.ts';
import {
  payAnswer,
  payBody,
  paymentAnswer,
  paymentMethodsAnswer,
  processDirectPaymentBody,
  processPaymentBody,
  type PayAnswer,
  type PaymentAnswer,
} from '#contracts/checkout.contract.ts';
import { confirmationCookie, currencyCookie, type Cookies } from '#http/cookies.ts';
import { RejectionWithCookies } from '#http/errors.ts';
import { ok, route, visitor, type Reply, type Route, type RouteRequest } from '#http/route.ts';
import { shownRateCookies, shownRateIn } from '#http/shown-rate.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import { presentationFor } from '#reference/presentation.ts';
import { OrderRefused, type Buyer } from '../checkout/checkout.commands.ts';
import { listMethods } from './offered-methods.ts';
import { attemptAnswer, completedAnswer, onAccountAnswer, promisedAnswer } from './payments.response.ts';
import type { Paid, PaymentActions } from './payments.actions.ts';
import { checkPages } from './return-pages.ts';

const file = import.meta.url;
const common = { base: 'checkout', service: 'command', caller: visitor, file } as const;

export interface PaymentRouteDeps extends Pick<
  CommandDeps,
  'settings' | 'reference' | 'clock' | 'keyedHash'
> {
  readonly actions: PaymentActions;
  /** The providers that the shop offers, in the order in which they are listed. */
  readonly providers: readonly PaymentProvider[];
  /** Where a payment may return to; `own` null: the address of the request. */
  readonly returnHosts: { readonly own: string | null; readonly allowed: readonly string[] };
}

/** The buyer goes on with the next basket, but with a cookie that shows the confirmation page is theirs. */
const paidReply = (
  { settings, clock, keyedHash }: PaymentRouteDeps,
  { nextBasketId, position }: Paid,
  invoiceId: string,
  answer: object,
): Reply => {
  const seconds = settings().confirmationCookieHours * 3600;
  const signed = `${invoiceId}.${Math.floor(clock.now() / 1000) + seconds}`;
  const cookies = [confirmationCookie(`${signed}.${keyedHash('confirmation', signed)}`, seconds)];
  const goesOn = nextBasketId === null ? {} : { basketId: nextBasketId };
  return ok(answer, { cookies, ...goesOn, ...(position > 0 ? { position } : {}) });
};

const warningsIn = ({ warnings }: Readonly<Record<string, unknown>>): string[] =>
  Array.isArray(warnings) ? warnings.map(String) : [];

/** The basket goes with the refusal of an order, and what is told of it once. */
const withBasket =
  (deps: PaymentRouteDeps, { cookies }: Pick<RouteRequest, 'cookies'>) =>
  (error: unknown): never => {
    if (!(error instanceof OrderRefused)) throw error;
    const { details, refused } = error;
    const presentation = presentationFor(deps, cookies[currencyCookie]);
    const remarks = { warnings: warningsIn(details), errors: [] };
    const basket = checkoutBasketAnswer(refused.basketId, refused.basket, presentation, remarks);
    throw new RejectionWithCookies(error, { ...details, basket }, shownRateCookies(cookies, presentation));
  };

/** What the cookies say of somebody who asks for an order. */
const shownTo = (cookies: Cookies): Pick<Buyer, 'wantedCurrency' | 'shown'> => ({
  wantedCurrency: cookies[currencyCookie],
  shown: shownRateIn(cookies),
});

/** What came of a direct payment. */
const directAnswer = ({ invoiceId, invoice }: Paid): PaymentAnswer => {
  if (invoice.balance.balanceDue === 0) return completedAnswer(invoiceId, invoice.payments.at(-1));
  return invoice.purchaseOrder ? onAccountAnswer(invoiceId) : promisedAnswer(invoiceId);
};

const placingErrors = [
  'invalid-request',
  'no-payment-method',
  'basket-not-found',
  'checkout-incomplete',
  'account-required',
  'shipping-not-selected',
  'tax-unavailable',
  'items-unavailable',
  'out-of-stock',
  'usage-limit-reached',
  'basket-changed',
  'amount-too-large',
  'terms-not-accepted',
  'account-terms-required',
  'credit-limit-exceeded',
  'too-many-open-invoices',
  'order-being-placed',
  'payment-unknown',
];

const payingErrors = [
  'invalid-request',
  'no-payment-method',
  'invoice-not-found',
  'not-yours',
  'invoice-already-paid',
  'invoice-cancelled',
  'payment-unknown',
];

const methodsRoute = ({ actions }: PaymentRouteDeps): Route =>
  route({
    ...common,
    method: 'GET',
    path: '/payment-methods',
    summary: 'The ways to pay that the shop offers',
    answer: paymentMethodsAnswer,
    handle: async ({ actor }) => ok(listMethods(await actions.offeredTo(actor))),
  });

const payRoute = (deps: PaymentRouteDeps): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/pay',
    summary: 'Create the invoice and start the payment',
    schemas: { body: payBody },
    answer: payAnswer,
    errors: placingErrors,
    isIdempotent: true,
    handle: async (request) => {
      const { body, basketId, ip, baseUrl, cookies } = request;
      const { own, allowed } = deps.returnHosts;
      checkPages(body, { own: own ?? baseUrl, allowed });
      const buyer = { hasAcceptedTerms: body.acceptTerms ?? false, ip, ...shownTo(cookies) };
      const { placed, provider, method, paid } = await deps.actions
        .pay(basketId, body, buyer, metaOf(request))
        .catch(withBasket(deps, request));
      const { invoiceId } = placed;
      const answer: PayAnswer = {
        success: true,
        message: '',
        errorMessage: null,
        invoiceId,
        redirectUrl: paid ? `/checkout/confirmation/${invoiceId}` : null,
        clientSecret: null,
        clientToken: null,
        sessionId: null,
        sdkConfig: {},
        sdkConfiguration: {},
        integrationType: method.integration,
        providerAlias: provider.alias,
        methodAlias: method.methodAlias,
        formFields: [...method.formFields],
      };
      return paid ? paidReply(deps, paid, invoiceId, answer) : ok(answer, { position: placed.position });
    },
  });

const processPaymentRoute = (deps: PaymentRouteDeps): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/process-payment',
    summary: "Charge an invoice's balance",
    schemas: { body: processPaymentBody },
    answer: paymentAnswer,
    errors: [...payingErrors, 'provider-unavailable'],
    isIdempotent: true,
    handle: async (request) => {
      const { body, basketId } = request;
      const { outcome, paid } = await deps.actions.processPayment(basketId, body, metaOf(request));
      const { invoiceId, position } = paid;
      const answer = attemptAnswer(invoiceId, outcome);
      return outcome.kind === 'completed'
        ? paidReply(deps, paid, invoiceId, answer)
        : ok(answer, { position });
    },
  });

const processDirectRoute = (deps: PaymentRouteDeps): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/process-direct-payment',
    summary: 'Record a payment that was taken by hand',
    schemas: { body: processDirectPaymentBody },
    answer: paymentAnswer,
    errors: [...new Set([...placingErrors, ...payingErrors, 'already-on-account'])],
    isIdempotent: true,
    handle: async (request) => {
      const { body, basketId, ip, cookies } = request;
      const buyer = { hasAcceptedTerms: false, ip, ...shownTo(cookies) };
      const paid = await deps.actions
        .processDirect(basketId, body, buyer, metaOf(request))
        .catch(withBasket(deps, request));
      return paidReply(deps, paid, paid.invoiceId, directAnswer(paid));
    },
  });

/** Paying (docs/rules/payments.md#methods, docs/rules/payments.md#results). */
export const paymentRoutes = (deps: PaymentRouteDeps): readonly Route[] => [
  methodsRoute(deps),
  payRoute(deps),
  processPaymentRoute(deps),
  processDirectRoute(deps),
];
