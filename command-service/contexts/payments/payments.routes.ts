import type { CommandMeta } from '#command/engine/command-engine.ts';
import { metaOf } from '#command/engine/request-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import {
  payBody,
  processDirectPaymentBody,
  processPaymentBody,
  type PayBody,
  type ProcessDirectPaymentBody,
  type ProcessPaymentBody,
} from '#contracts/checkout.contract.ts';
import { confirmationCookie } from '#http/cookies.ts';
import { ok, route, visitor, type Reply, type Route, type RouteRequest } from '#http/route.ts';
import { isoInstant } from '#kernel/clock.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import { isKnown, type KnownInvoice } from '../orders/invoice.state.ts';
import { createChargeInvoice } from './charge-invoice.ts';
import { listMethods, methodOf, providerOf } from './offered-methods.ts';
import { attemptAnswer, completedAnswer, promisedAnswer, type PaymentAnswer } from './payment-results.ts';
import { checkPages } from './return-pages.ts';
import type { Settlement } from './settle-payment.ts';

const file = 'command-service/contexts/payments/payments.routes.ts';
const common = { base: 'checkout', service: 'command', caller: visitor, file } as const;

/** An invoice that can be paid, as checkout placed it. */
export interface PlacedInvoice {
  readonly invoiceId: string;
  readonly position: number;
}

export interface PaymentDeps extends CommandDeps {
  readonly settlement: Settlement;
  /** Where a payment may return to; `own` null: the address of the request. */
  readonly returnHosts: { readonly own: string | null; readonly allowed: readonly string[] };
  /** The providers that the shop offers, in the order in which they are listed. */
  readonly providers: readonly PaymentProvider[];
  /**
   * The invoice of a visitor's basket, if there is one: the one that still says what the basket holds, else a new one.
   * Errors: the rejections of checkout.
   */
  readonly placeOrder: (
    basketId: string | null,
    asked: { readonly hasAcceptedTerms: boolean; readonly ip: string },
    meta: CommandMeta,
  ) => Promise<PlacedInvoice>;
  /** The basket that got what was added after the invoice was made; null when there was nothing. */
  readonly nextBasketOf: (basketId: string) => Promise<string | null>;
}

/** The invoice, for the visitor whose basket it was made of. */
const ownInvoice = async (
  deps: PaymentDeps,
  invoiceId: string,
  { basketId }: RouteRequest,
): Promise<KnownInvoice> => {
  const invoice = await deps.settlement.load(invoiceId);
  if (!isKnown(invoice)) throw new Rejection('invoice-not-found', 'There is no such invoice.');
  if (basketId === null || invoice.content.basketId !== basketId) {
    throw new Rejection('not-yours', 'This invoice belongs to somebody else.');
  }
  return invoice;
};

/** The buyer goes on without the basket, but with a cookie that shows the confirmation page is theirs. */
const paidReply = async (
  deps: PaymentDeps,
  { content }: KnownInvoice,
  answer: PaymentAnswer,
  position: number,
): Promise<Reply> => {
  const next = content.basketId === null ? null : await deps.nextBasketOf(content.basketId);
  const seconds = deps.settings().confirmationCookieHours * 3600;
  const expires = Math.floor(deps.clock.now() / 1000) + seconds;
  const signed = `${answer.invoiceId}.${expires}`;
  const cookies = [confirmationCookie(`${signed}.${deps.keyedHash('confirmation', signed)}`, seconds)];
  return ok(answer, { cookies, basketId: next, ...(position > 0 ? { position } : {}) });
};

const pay = (deps: PaymentDeps) => async (request: RouteRequest<unknown, unknown, PayBody>) => {
  const { providerAlias, methodAlias, acceptTerms } = request.body;
  const { own, allowed } = deps.returnHosts;
  checkPages(request.body, { own: own ?? request.baseUrl, allowed });
  const provider = providerOf(deps.providers, providerAlias);
  const method = methodOf(provider, methodAlias);
  const placed = await deps.placeOrder(
    request.basketId,
    { hasAcceptedTerms: acceptTerms ?? false, ip: request.ip },
    metaOf(request),
  );
  const answer = {
    success: true,
    message: '',
    errorMessage: null,
    invoiceId: placed.invoiceId,
    redirectUrl: null,
    clientSecret: null,
    clientToken: null,
    sessionId: null,
    sdkConfig: {},
    sdkConfiguration: {},
    integrationType: method.integration,
    providerAlias: provider.alias,
    methodAlias: method.methodAlias,
    formFields: method.formFields,
  };
  const invoice = await deps.settlement.load(placed.invoiceId);
  if (isKnown(invoice) && invoice.balance.paymentStatus === 'Paid') {
    const position = await deps.settlement.settle(placed.invoiceId, metaOf(request));
    const reply = await paidReply(
      deps,
      invoice,
      completedAnswer(placed.invoiceId, invoice.payments.at(-1)),
      position,
    );
    return { ...reply, json: { ...answer, redirectUrl: `/checkout/confirmation/${placed.invoiceId}` } };
  }
  return ok(answer, { position: placed.position });
};

/** The provider answered after the invoice had expired: the money is on record, but nothing is sold. */
const refuseLate = ({ status }: KnownInvoice): void => {
  if (status === 'open') return;
  throw new Rejection(
    'invoice-cancelled',
    'This invoice had expired when its payment arrived. The payment is noted on it and owed back to you.',
  );
};

const processPayment = (deps: PaymentDeps) => {
  const chargeInvoice = createChargeInvoice(deps.settlement);
  return async (request: RouteRequest<unknown, unknown, ProcessPaymentBody>) => {
    const { invoiceId, providerAlias, methodAlias, paymentMethodToken: token } = request.body;
    const provider = providerOf(deps.providers, providerAlias);
    const { methodAlias: method } = methodOf(provider, methodAlias);
    if (!token) {
      throw new Rejection('invalid-request', 'paymentMethodToken: the token of the provider was expected.');
    }
    const problem = provider.checkToken(token);
    if (problem !== null) throw new Rejection('invalid-request', `paymentMethodToken: ${problem}`);
    await ownInvoice(deps, invoiceId, request);
    const { attemptId, position } = await chargeInvoice(
      invoiceId,
      {
        type: 'AttemptPayment',
        provider: provider.alias,
        method,
        token,
        tokenHash: deps.keyedHash('payment-token', token),
      },
      metaOf(request),
    );
    const invoice = await ownInvoice(deps, invoiceId, request);
    if (invoice.payments.some((payment) => payment.attemptId === attemptId)) refuseLate(invoice);
    const answer = attemptAnswer(invoiceId, invoice, attemptId);
    if (!answer) {
      throw new Rejection(
        'provider-unavailable',
        'The payment provider cannot be reached. Nothing was charged; try again.',
      );
    }
    return answer.status === 'Completed'
      ? paidReply(deps, invoice, answer, position)
      : ok(answer, { position });
  };
};

const processDirect =
  (deps: PaymentDeps) => async (request: RouteRequest<unknown, unknown, ProcessDirectPaymentBody>) => {
    const { providerAlias, methodAlias, formData } = request.body;
    const provider = providerOf(deps.providers, providerAlias);
    const method = methodOf(provider, methodAlias);
    if (method.integration !== 'DirectForm') {
      throw new Rejection(
        'invalid-request',
        `providerAlias: ${provider.alias} does not take direct payments.`,
      );
    }
    const meta = metaOf(request);
    const asked = { hasAcceptedTerms: false, ip: request.ip };
    const invoiceId =
      request.body.invoiceId ?? (await deps.placeOrder(request.basketId, asked, meta)).invoiceId;
    await ownInvoice(deps, invoiceId, request);
    const trimmed = Object.entries(formData ?? {}).map(([field, value]) => [field, value.trim()] as const);
    const recorded = await deps.settlement.record(
      invoiceId,
      {
        type: 'RecordDirectPayment',
        provider: provider.alias,
        method: method.methodAlias,
        formData: Object.fromEntries(trimmed),
        heldUntil:
          provider.holdMinutes === null ? null : isoInstant(deps.clock.now() + provider.holdMinutes * 60_000),
      },
      meta,
    );
    const position = await deps.settlement.settle(invoiceId, meta);
    const invoice = await ownInvoice(deps, invoiceId, request);
    const isPaid = invoice.balance.balanceDue === 0;
    const answer = isPaid ? completedAnswer(invoiceId, invoice.payments.at(-1)) : promisedAnswer(invoiceId);
    return paidReply(deps, invoice, answer, Math.max(recorded.position, position));
  };

const paymentMethods = (deps: PaymentDeps) => () => Promise.resolve(ok(listMethods(deps.providers)));

const placingErrors = [
  'invalid-request',
  'no-payment-method',
  'basket-not-found',
  'checkout-incomplete',
  'shipping-not-selected',
  'items-unavailable',
  'out-of-stock',
  'usage-limit-reached',
  'basket-changed',
  'amount-too-large',
  'terms-not-accepted',
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

/** Paying (specification 4.2; decisions, storefront 7.10 to 7.12). */
export const paymentRoutes = (deps: PaymentDeps): readonly Route[] => [
  route({
    ...common,
    method: 'GET',
    path: '/payment-methods',
    summary: 'The ways to pay that the shop offers',
    handle: paymentMethods(deps),
  }),
  route({
    ...common,
    method: 'POST',
    path: '/pay',
    summary: 'Create the invoice and start the payment',
    schemas: { body: payBody },
    errors: placingErrors,
    isIdempotent: true,
    handle: pay(deps),
  }),
  route({
    ...common,
    method: 'POST',
    path: '/process-payment',
    summary: "Charge an invoice's balance",
    schemas: { body: processPaymentBody },
    errors: [...payingErrors, 'provider-unavailable'],
    isIdempotent: true,
    handle: processPayment(deps),
  }),
  route({
    ...common,
    method: 'POST',
    path: '/process-direct-payment',
    summary: 'Record a payment that was taken by hand',
    schemas: { body: processDirectPaymentBody },
    errors: [...new Set([...placingErrors, ...payingErrors])],
    isIdempotent: true,
    handle: processDirect(deps),
  }),
];
