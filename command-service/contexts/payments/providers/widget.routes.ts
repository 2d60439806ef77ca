import { withProviderTimeout, PROVIDER_TIMEOUT_MILLISECONDS } from '#command/engine/provider-timeout.ts';
import { metaOf } from '#command/engine/request-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { paymentResponse } from '#contracts/checkout.contract.ts';
import {
  captureOrderBody,
  createOrderResponse,
  createOrderBody,
  walletResponse,
  walletBody,
  widgetParams,
} from '#contracts/express.contract.ts';
import type { RateLimits } from '#http/rate-limit.ts';
import { ok, route, visitor, type Route } from '#http/route.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { ReturnHosts } from '#values/return-address.ts';
import { isWalletAddress } from '#values/wallet-address.ts';
import { countAsk } from './asks-by-address.ts';
import { buyerOf, paidFrom, payingErrors, placingErrors, withBasket } from './order-request.ts';
import type { PaymentReturnActions } from '../sessions/payment-return.ts';
import { saveForOf } from '../charging/save-method.ts';
import { paidReply } from '../charging/paid-reply.ts';
import type { PaymentActions } from '../payments.actions.ts';
import { hasBought } from '../charging/payment-outcome.ts';
import { attemptResponse } from '../payments.response.ts';
import { providerUnavailable } from '../sessions/start-session.ts';

const file = import.meta.url;
const common = { base: 'checkout', service: 'command', caller: visitor, file } as const;

export interface WidgetRouteDeps extends Pick<
  CommandDeps,
  'settings' | 'reference' | 'clock' | 'keyedHash' | 'apis'
> {
  readonly actions: PaymentActions;
  readonly paymentReturns: PaymentReturnActions;
  readonly providers: () => readonly PaymentProvider[];
  readonly returnHosts: ReturnHosts;
  readonly limits: RateLimits;
}

/** The provider's widget where none is named; a wallet where the provider has no other. */
const widgetOf = (
  { providers }: WidgetRouteDeps,
  alias: string,
  named: string | null | undefined,
): string => {
  const provider = providers().find((one) => one.alias === alias);
  if (!provider) throw new Rejection('not-found', 'There is nothing at this address.');
  const all = provider.methods.filter(({ integration }) => integration === 'Widget');
  const atTheTill = all.filter(({ isExpress }) => !isExpress);
  const widgets = atTheTill.length > 0 ? atTheTill : all;
  const method = widgets.find(({ methodAlias }) => !named || methodAlias === named);
  if (method) return method.methodAlias;
  const offered = widgets.map(({ methodAlias }) => methodAlias).join(', ') || 'none';
  throw new Rejection('invalid-request', `methodAlias: must be a widget of the provider (${offered}).`);
};

const createRoute = (deps: WidgetRouteDeps): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/{providerAlias}/create-order',
    summary: "Create the invoice and the order of a provider's widget",
    schemas: { params: widgetParams, body: createOrderBody },
    response: createOrderResponse,
    errors: [
      ...new Set([
        ...placingErrors,
        ...payingErrors,
        'not-found',
        'provider-unavailable',
        'too-many-payment-sessions',
      ]),
    ],
    isIdempotent: true,
    handle: async (request) => {
      const { body, params, basketId } = request;
      const { providerAlias } = params;
      const methodAlias = widgetOf(deps, providerAlias, body.methodAlias);
      const choice = { providerAlias, methodAlias, savePaymentMethod: body.savePaymentMethod };
      const { ownAddress: shop = '', pages: named } = paidFrom(deps.returnHosts, request);
      const pages = { returnUrl: '/checkout', cancelUrl: '/checkout', ...named, shop };
      const buyer = buyerOf(request, body.acceptTerms);
      const begun = await deps.actions
        .pay(basketId, choice, pages, buyer, metaOf(request))
        .catch(withBasket(deps, request));
      const { started, invoiceId, paid, position } = begun;
      const session = started?.kind === 'started' ? started.session : null;
      const problem = started?.kind === 'refused' ? started.message : null;
      const answer = {
        success: problem === null,
        code: problem === null ? null : 'payment-declined',
        message: problem ?? '',
        orderId: session?.sessionId ?? null,
        invoiceId,
        clientToken: session?.clientToken ?? null,
        clientSecret: session?.clientSecret ?? null,
        sdkConfig: session?.sdkConfig ?? {},
        errorMessage: problem,
      };
      return paid ? paidReply(deps, paid, invoiceId, answer) : ok(answer, { position });
    },
  });

const textsIn = (fields: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );

const captureRoute = (deps: WidgetRouteDeps): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/{providerAlias}/capture-order',
    summary: "Complete the order of a provider's widget",
    schemas: { params: widgetParams, body: captureOrderBody },
    response: paymentResponse,
    errors: [
      'invalid-request',
      'payment-not-found',
      'not-yours',
      'invoice-not-found',
      'provider-unavailable',
    ],
    isIdempotent: true,
    handle: async (request) => {
      const { body, params, basketId, actor, ip } = request;
      const { orderId: sessionId, invoiceId: named, savePaymentMethod, setAsDefaultMethod, ...rest } = body;
      const { providerAlias: provider } = params;
      if (named) await deps.actions.checkOwner(basketId, named, actor);
      const offered = deps.providers().find(({ alias }) => alias === provider) ?? {};
      const saveFor = await saveForOf(deps, offered, { savePaymentMethod, setAsDefaultMethod, ip }, actor);
      const back = { provider, sessionId, saveFor, parameters: textsIn(rest) };
      const { outcome, paid, isOwner } = await deps.paymentReturns.completeReturn(
        basketId,
        back,
        metaOf(request),
        {
          isForOwner: true,
          invoiceId: named ?? null,
          isOnlyLooking: false,
        },
      );
      const { invoiceId, position } = paid;
      const known =
        outcome.kind === 'requiresAction'
          ? ({ kind: 'pending', transactionId: sessionId } as const)
          : outcome;
      const answer = attemptResponse(invoiceId, known);
      const isBuyer = isOwner && hasBought(outcome);
      return isBuyer ? paidReply(deps, paid, invoiceId, answer) : ok(answer, { position });
    },
  });

/** The merchant's session of a wallet, from where the wallet wants it. */
const walletRoute = (deps: WidgetRouteDeps): Route => {
  const validations = deps.limits.perWindow('wallet validations', 60);
  return route({
    ...common,
    method: 'POST',
    path: '/provider/wallet-validate',
    summary: "Have the shop validated as a wallet's merchant",
    schemas: { body: walletBody },
    response: walletResponse,
    errors: ['invalid-request', 'no-payment-method', 'provider-unavailable', 'too-many-requests'],
    handle: async (request) => {
      const { body, baseUrl } = request;
      const { validationUrl, displayName, providerAlias } = body;
      if (!isWalletAddress(validationUrl)) {
        const expected = 'must be an https address of a host under .apple.com, at port 443';
        throw new Rejection('invalid-request', `validationUrl: ${expected}.`);
      }
      const provider = deps
        .providers()
        .find((one) => one.validateWallet && (!providerAlias || one.alias === providerAlias));
      if (!provider?.validateWallet)
        throw new Rejection('invalid-request', 'providerAlias: must be a provider with a wallet.');
      await countAsk(validations, request);
      const domain = new URL(deps.returnHosts.own ?? baseUrl).hostname;
      const name = displayName?.trim() ? displayName : deps.settings().name;
      const validated = await withProviderTimeout(
        provider.validateWallet({ validationUrl, displayName: name, domain }),
        PROVIDER_TIMEOUT_MILLISECONDS,
      );
      if (validated.kind === 'refused') throw new Rejection('invalid-request', validated.message);
      if (validated.kind !== 'session') throw providerUnavailable();
      return ok(validated.session);
    },
  });
};

/** Widgets of providers, and merchants of wallets (docs/rules/express-checkout.md). */
export const widgetRoutes = (deps: WidgetRouteDeps): readonly Route[] => [
  createRoute(deps),
  captureRoute(deps),
  walletRoute(deps),
];
