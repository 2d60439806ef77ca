import { metaOf } from '#command/engine/request-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import {
  invoiceParams,
  payResponse,
  payBody,
  paymentResponse,
  paymentMethodsResponse,
  processDirectPaymentBody,
  processPaymentBody,
  processSavedPaymentBody,
  type PaymentResponse,
} from '#contracts/checkout.contract.ts';
import { paymentOptionsResponse } from '#contracts/express.contract.ts';
import { member, ok, route, visitor, type Reply, type Route, type RouteRequest } from '#http/route.ts';
import { defined } from '#kernel/defined.ts';
import { Rejection } from '#kernel/rejection.ts';
import { listMethods } from './providers/offered-methods.ts';
import {
  attemptResponse,
  begunResponse,
  completedResponse,
  onAccountResponse,
  promisedResponse,
} from './payments.response.ts';
import type { Paid } from './charging/own-invoice.ts';
import { attemptReply, paidReply } from './charging/paid-reply.ts';
import type { BegunPayment, PaymentActions } from './payments.actions.ts';
import {
  buyerOf,
  paidFrom,
  payingErrors,
  placingErrors,
  shopAddress,
  withBasket,
} from './providers/order-request.ts';
import type { ReturnHosts } from '#values/return-address.ts';
import { checkPages } from './sessions/return-pages.ts';
import type { SessionPages } from './sessions/start-session.ts';

const file = import.meta.url;
const common = { base: 'checkout', service: 'command', caller: visitor, file } as const;

export interface PaymentRouteDeps extends Pick<
  CommandDeps,
  'settings' | 'reference' | 'clock' | 'keyedHash'
> {
  readonly actions: PaymentActions;
  /** Where a payment may return to. */
  readonly returnHosts: ReturnHosts;
}

/** What came of a direct payment. */
const directResponse = ({ invoiceId, invoice }: Paid): PaymentResponse => {
  if (invoice.balance.balanceDue === 0) return completedResponse(invoiceId, invoice.payments.at(-1));
  return invoice.purchaseOrder ? onAccountResponse(invoiceId) : promisedResponse(invoiceId);
};

/** The pages of a payment, if its payer may be sent there. */
const pagesOf = (
  { returnHosts }: PaymentRouteDeps,
  request: Pick<RouteRequest, 'baseUrl'> & { readonly body: { returnUrl: string; cancelUrl: string } },
): SessionPages => {
  const { body } = request;
  checkPages(body, returnHosts);
  const { returnUrl, cancelUrl } = body;
  return { returnUrl, cancelUrl, shop: shopAddress(returnHosts.own, request) };
};

/** The invoice owns the keys of its payments: once it is paid, its buyer has another cookie. */
const invoicesKey = async (
  { actions }: PaymentRouteDeps,
  { basketId, actor }: Pick<RouteRequest, 'basketId' | 'actor'>,
  invoiceId: string | null | undefined,
): Promise<string | null> => {
  if (!invoiceId) return null;
  await actions.checkOwner(basketId, invoiceId, actor);
  return `invoice ${invoiceId}`;
};

const nobodys = (error: unknown): null => {
  if (error instanceof Rejection) return null;
  throw error;
};

/** The buyer of what costs nothing has paid; anybody else goes on. */
const begunReply = (deps: PaymentRouteDeps, begun: BegunPayment): Reply => {
  const answer = begunResponse(begun);
  const { paid, invoiceId, position } = begun;
  return paid ? paidReply(deps, paid, invoiceId, answer) : ok(answer, { position });
};

const methodsRoute = ({ actions }: PaymentRouteDeps): Route =>
  route({
    ...common,
    method: 'GET',
    path: '/payment-methods',
    summary: 'The ways to pay that the shop offers',
    response: paymentMethodsResponse,
    handle: async ({ actor }) => ok(listMethods(await actions.offeredTo(actor))),
  });

/** Ways to pay, at checkout or by a wallet. */
const optionsRoute = ({ actions }: PaymentRouteDeps): Route =>
  route({
    ...common,
    method: 'GET',
    path: '/payment-options',
    summary: 'The ways to pay at the till, by wallets, and with what is saved',
    response: paymentOptionsResponse,
    handle: async ({ actor }) => {
      const offered = await actions.offeredTo(actor);
      const standard = listMethods(offered);
      const saved = await actions.savedOf(actor);
      const canSave = actor.kind === 'member' && offered.some(({ vault }) => vault !== undefined);
      return ok({
        success: true,
        message: '',
        standard,
        express: listMethods(offered, true),
        saved,
        providers: standard,
        savedPaymentMethods: saved,
        hasSavedPaymentMethods: saved.length > 0,
        canSavePaymentMethods: canSave,
      });
    },
  });

const payRoute = (deps: PaymentRouteDeps): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/pay',
    summary: 'Create the invoice and start the payment',
    schemas: { body: payBody },
    response: payResponse,
    errors: [
      ...placingErrors,
      'provider-unavailable',
      'invoice-not-found',
      'invoice-cancelled',
      'invoice-already-paid',
      'too-many-payment-sessions',
    ],
    isIdempotent: true,
    handle: async (request) => {
      const { body, basketId } = request;
      const pages = pagesOf(deps, request);
      const buyer = buyerOf(request, body.acceptTerms);
      const begun = await deps.actions
        .pay(basketId, body, pages, buyer, metaOf(request))
        .catch(withBasket(deps, request));
      return begunReply(deps, begun);
    },
  });

/** Another attempt at an existing invoice, which is not created again. */
const payAgainRoute = (deps: PaymentRouteDeps): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/{invoiceId}/pay',
    summary: 'Start another payment of an invoice',
    schemas: { params: invoiceParams, body: payBody },
    response: payResponse,
    errors: [
      ...payingErrors,
      'account-terms-required',
      'credit-limit-exceeded',
      'provider-unavailable',
      'too-many-payment-sessions',
    ],
    isIdempotent: true,
    keyOwner: (request) => invoicesKey(deps, request, request.params.invoiceId),
    handle: async (request) => {
      const { basketId, params, ip } = request;
      const body = { ...request.body, ip };
      const pages = pagesOf(deps, request);
      return begunReply(
        deps,
        await deps.actions.payAgain(basketId, params.invoiceId, body, pages, metaOf(request)),
      );
    },
  });

const processPaymentRoute = (deps: PaymentRouteDeps): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/process-payment',
    summary: "Charge an invoice's balance",
    schemas: { body: processPaymentBody },
    response: paymentResponse,
    errors: [...payingErrors, 'provider-unavailable'],
    isIdempotent: true,
    keyOwner: (request) => invoicesKey(deps, request, request.body.invoiceId),
    handle: async (request) => {
      const { body, basketId, ip } = request;
      const from = paidFrom(deps.returnHosts, request);
      const input = { ...body, ip, ...from };
      const attempt = await deps.actions.processPayment(basketId, input, metaOf(request));
      return attemptReply(deps, attempt, attemptResponse(attempt.paid.invoiceId, attempt.outcome));
    },
  });

const processSavedRoute = (deps: PaymentRouteDeps): Route =>
  route({
    ...common,
    caller: member,
    method: 'POST',
    path: '/process-saved-payment',
    summary: "Charge an invoice's balance to a saved payment method",
    schemas: { body: processSavedPaymentBody },
    response: paymentResponse,
    errors: [
      ...new Set([...placingErrors, ...payingErrors]),
      'unauthenticated',
      'payment-method-not-found',
      'payment-method-expired',
      'provider-unavailable',
    ],
    isIdempotent: true,
    // A caller who may not use the invoice's keys has their own, and is refused below.
    keyOwner: (request) => invoicesKey(deps, request, request.body.invoiceId).catch(nobodys),
    handle: async (request) => {
      const { body, basketId } = request;
      const from = paidFrom(deps.returnHosts, request);
      const buyer = { ...buyerOf(request, body.acceptTerms), ...defined({ pages: from.pages }) };
      const attempt = await deps.actions
        .processSaved(basketId, { ...body, ...from }, buyer, metaOf(request))
        .catch(withBasket(deps, request));
      return attemptReply(deps, attempt, attemptResponse(attempt.paid.invoiceId, attempt.outcome));
    },
  });

const processDirectRoute = (deps: PaymentRouteDeps): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/process-direct-payment',
    summary: 'Record a payment that was taken by hand',
    schemas: { body: processDirectPaymentBody },
    response: paymentResponse,
    errors: [...new Set([...placingErrors, ...payingErrors, 'already-on-account'])],
    isIdempotent: true,
    keyOwner: (request) => invoicesKey(deps, request, request.body.invoiceId),
    handle: async (request) => {
      const { body, basketId } = request;
      const buyer = buyerOf(request, body.acceptTerms);
      const paid = await deps.actions
        .processDirect(basketId, body, buyer, metaOf(request))
        .catch(withBasket(deps, request));
      return paidReply(deps, paid, paid.invoiceId, directResponse(paid));
    },
  });

/** Paying (docs/rules/payments.md#methods, docs/rules/payments.md#results). */
export const paymentRoutes = (deps: PaymentRouteDeps): readonly Route[] => [
  methodsRoute(deps),
  optionsRoute(deps),
  payRoute(deps),
  payAgainRoute(deps),
  processPaymentRoute(deps),
  processSavedRoute(deps),
  processDirectRoute(deps),
];
