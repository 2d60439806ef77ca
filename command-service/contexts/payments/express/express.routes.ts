import { metaOf } from '#command/engine/request-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import {
  expressResponse,
  expressBody,
  expressConfigResponse,
  expressIntentResponse,
  expressIntentBody,
  expressMethodsResponse,
  type ExpressResponse,
  type ExpressBody,
  type WalletAddress,
} from '#contracts/express.contract.ts';
import { currencyCookie } from '#http/cookies.ts';
import { ok, route, visitor, type Route, type RouteRequest } from '#http/route.ts';
import { defined } from '#kernel/defined.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import { decimalsOf } from '#values/currency.ts';
import { toDecimal } from '#values/money.ts';
import type { ReturnHosts } from '#values/return-address.ts';
import type { ExpressAddress, ExpressCustomer } from '../../checkout/checkout.commands.ts';
import {
  buyerOf,
  paidFrom,
  payingErrors,
  placingErrors,
  shopAddress,
  withBasket,
} from '../providers/order-request.ts';
import type { ExpressActions } from './express.ts';
import { expressMethods, listMethods } from '../providers/offered-methods.ts';
import { attemptReply } from '../charging/paid-reply.ts';
import { hasBought, type KnownOutcome } from '../charging/payment-outcome.ts';
import { attemptResponse } from '../payments.response.ts';

const file = import.meta.url;
const common = { base: 'checkout', service: 'command', caller: visitor, file } as const;

export interface ExpressRouteDeps extends Pick<
  CommandDeps,
  'settings' | 'reference' | 'clock' | 'keyedHash'
> {
  readonly express: ExpressActions;
  readonly providers: () => readonly PaymentProvider[];
  readonly returnHosts: ReturnHosts;
  /** Base URL of links in mails; null: not configured. */
  readonly storeUrl: (request: Pick<RouteRequest, 'baseUrl'>) => string | null;
}

/** Wallets name the parts of an address in their own way. */
const addressFrom = (
  given: WalletAddress | null | undefined,
  person: { readonly name: string | null; readonly phone: string | null },
): ExpressAddress | null => {
  if (!given) return null;
  const { line1, line2, city, region, addressOne, addressTwo, townCity, countyState, regionCode } = given;
  return {
    name: given.name ?? given.fullName ?? person.name,
    addressOne: addressOne ?? line1 ?? null,
    addressTwo: addressTwo ?? line2 ?? null,
    townCity: townCity ?? city ?? null,
    countyState: countyState ?? region ?? null,
    regionCode: regionCode ?? null,
    postalCode: given.postalCode ?? null,
    countryCode: given.countryCode ?? null,
    phone: given.phone ?? person.phone,
  };
};

const customerFrom = ({ customerData, ...flat }: ExpressBody): ExpressCustomer => {
  const email = customerData?.email ?? flat.email ?? null;
  const person = {
    name: customerData?.fullName ?? flat.fullName ?? null,
    phone: customerData?.phone ?? flat.phone ?? null,
  };
  return {
    email,
    shippingAddress: addressFrom(customerData?.shippingAddress ?? flat.shippingAddress, person),
    billingAddress: addressFrom(customerData?.billingAddress ?? flat.billingAddress, person),
  };
};

const intentIn = ({ paymentIntentId, providerData }: ExpressBody): string | null => {
  const named = paymentIntentId ?? providerData?.['paymentIntentId'];
  if (named === null || named === undefined || named === '') return null;
  if (typeof named === 'string') return named;
  throw new Rejection('invalid-request', 'providerData.paymentIntentId: must be text.');
};

/** A wallet knows three outcomes; what failed says why. */
const statusOf = (outcome: KnownOutcome): ExpressResponse['status'] => {
  const { kind } = outcome;
  if (hasBought(outcome)) return 'completed';
  return kind === 'declined' || kind === 'cancelled' ? 'unknown' : 'pending';
};

const responseOf = (invoiceId: string, outcome: KnownOutcome): ExpressResponse => {
  const { status: _, paymentMethodSaved: __, ...answer } = attemptResponse(invoiceId, outcome);
  const isRefused = outcome.kind === 'declined' || outcome.kind === 'cancelled';
  return { ...answer, status: statusOf(outcome), errorCode: isRefused ? 'PAYMENT_DECLINED' : null };
};

const methodsRoute = ({ providers }: ExpressRouteDeps): Route =>
  route({
    ...common,
    method: 'GET',
    path: '/express-methods',
    summary: 'The wallets that the shop offers',
    response: expressMethodsResponse,
    handle: () =>
      Promise.resolve(
        ok(
          listMethods(providers(), true).map(
            ({ providerAlias, methodAlias, displayName, iconHtml, icon, methodType, sortOrder }) => ({
              providerAlias,
              methodAlias,
              displayName,
              iconHtml,
              icon,
              methodType,
              sortOrder,
            }),
          ),
        ),
      ),
  });

const configRoute = (deps: ExpressRouteDeps): Route =>
  route({
    ...common,
    method: 'GET',
    path: '/express-config',
    summary: 'What a wallet is to show for the basket',
    response: expressConfigResponse,
    handle: async ({ basketId, cookies }) => {
      const { name, storeCurrencyCode } = deps.settings();
      const wanted = cookies[currencyCookie];
      const of = await deps.express.figures(basketId, wanted).catch(nothingToShow);
      const currency = of?.currency ?? storeCurrencyCode;
      const shown = (amount: number | undefined): number => toDecimal(amount ?? 0, currency);
      const methods = of === null ? [] : expressMethods(deps.providers());
      return ok({
        success: true,
        message: '',
        currency,
        amount: shown(of?.figures.total),
        subTotal: shown(of?.figures.subTotal),
        shipping: shown(of?.figures.shipping),
        tax: shown(of?.figures.tax),
        decimalPlaces: decimalsOf(currency),
        countryCode: of?.basket.destination.countryCode ?? deps.settings().defaultShippingCountry,
        storeName: name,
        methods: methods.map(({ provider, method }) => ({
          providerAlias: provider.alias,
          methodAlias: method.methodAlias,
          displayName: method.displayName,
          methodType: method.methodType,
          sdkUrl: method.sdk?.sdkUrl ?? null,
          adapterUrl: method.sdk?.adapterUrl ?? null,
          sdkConfig: {
            ...provider.sdkConfig?.({
              methodAlias: method.methodAlias,
              amountMinor: of?.figures.total ?? 0,
              currency,
            }),
          },
        })),
      });
    },
  });

/** No basket, or one that goes nowhere: no wallet is shown. */
const nothingToShow = (error: unknown): null => {
  if (error instanceof Rejection && ['basket-not-found', 'cannot-ship'].includes(error.code)) return null;
  throw error;
};

const intentRoute = (deps: ExpressRouteDeps): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/express-payment-intent',
    summary: 'Make an intent for a wallet, over what the basket comes to',
    schemas: { body: expressIntentBody },
    response: expressIntentResponse,
    errors: [
      'invalid-request',
      'no-payment-method',
      'basket-not-found',
      'cannot-ship',
      'provider-unavailable',
    ],
    handle: async (request) => {
      const { body, basketId, cookies } = request;
      const shop = shopAddress(deps.returnHosts.own, request);
      const shown = { wantedCurrency: cookies[currencyCookie], shop };
      const { intent, problem } = await deps.express.createIntent(basketId, body, shown);
      return ok({
        success: problem === null,
        code: problem === null ? null : 'payment-declined',
        message: problem ?? '',
        clientSecret: intent?.clientSecret ?? null,
        sdkConfig: { ...intent?.sdkConfig },
        paymentIntentId: intent?.sessionId ?? null,
        errorMessage: problem,
      });
    },
  });

const expressRoute = (deps: ExpressRouteDeps): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/express',
    summary: 'Buy the basket with a wallet, in one step',
    schemas: { body: expressBody },
    response: expressResponse,
    errors: [
      ...new Set([
        ...placingErrors,
        ...payingErrors,
        'invalid-address',
        'cannot-ship',
        'intent-mismatch',
        'provider-unavailable',
        'too-busy',
      ]),
    ],
    isIdempotent: true,
    handle: async (request) => {
      const { body, basketId, ip } = request;
      const paid = paidFrom(deps.returnHosts, request);
      const buyer = { ...buyerOf(request, body.acceptTerms), ...defined({ pages: paid.pages }) };
      const { providerAlias, methodAlias, paymentToken: token } = body;
      const payment = {
        providerAlias,
        methodAlias,
        token,
        intentId: intentIn(body),
        customer: customerFrom(body),
      };
      const from = { ...paid, ip, storeUrl: deps.storeUrl(request) };
      const attempt = await deps.express
        .express(basketId, payment, buyer, from, metaOf(request))
        .catch(withBasket(deps, request));
      return attemptReply(deps, attempt, responseOf(attempt.paid.invoiceId, attempt.outcome));
    },
  });

/** Buying with a wallet (docs/rules/express-checkout.md). */
export const expressRoutes = (deps: ExpressRouteDeps): readonly Route[] => [
  methodsRoute(deps),
  configRoute(deps),
  intentRoute(deps),
  expressRoute(deps),
];
