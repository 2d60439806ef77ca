import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { PaymentPages } from '#events/invoice.fields.ts';
import { checkoutBasketResponse } from '#contracts/basket-response.ts';
import { currencyCookie } from '#http/cookies.ts';
import { RejectionWithCookies } from '#http/errors.ts';
import type { RouteRequest } from '#http/route.ts';
import { shownRateCookies, shownRateIn } from '#http/shown-rate.ts';
import { presentationFor } from '#reference/presentation.ts';
import type { ReturnHosts } from '#values/return-address.ts';
import { OrderRefused, type Buyer } from '../../checkout/checkout.commands.ts';
import { checkPages } from '../sessions/return-pages.ts';

const warningsIn = ({ warnings }: Readonly<Record<string, unknown>>): string[] =>
  Array.isArray(warnings) ? warnings.map(String) : [];

/** The basket goes with the refusal of an order, and what is told of it once. */
export const withBasket =
  (deps: Pick<CommandDeps, 'settings' | 'reference'>, { cookies }: Pick<RouteRequest, 'cookies'>) =>
  (error: unknown): never => {
    if (!(error instanceof OrderRefused)) throw error;
    const { details, refused } = error;
    const presentation = presentationFor(deps, cookies[currencyCookie]);
    const remarks = { warnings: warningsIn(details), errors: [] };
    const basket = checkoutBasketResponse(refused.basketId, refused.basket, presentation, remarks);
    throw new RejectionWithCookies(error, { ...details, basket }, shownRateCookies(cookies, presentation));
  };

/** The buyer, as the request identifies them. */
export const buyerOf = (
  { ip, cookies }: Pick<RouteRequest, 'ip' | 'cookies'>,
  acceptTerms?: boolean | null,
): Pick<Buyer, 'hasAcceptedTerms' | 'ip' | 'wantedCurrency' | 'shown'> => ({
  hasAcceptedTerms: acceptTerms ?? false,
  ip,
  wantedCurrency: cookies[currencyCookie],
  shown: shownRateIn(cookies),
});

/** Where the shop is, and where its payer goes on, as a request says it. */
export interface PaidFrom {
  readonly ownAddress?: string | undefined;
  /** Missing: where the payments of the invoice go on. */
  readonly pages?: PaymentPages | undefined;
}

/** A payer's bank sends them back to an absolute address: the shop's, else the one that the request came to. */
export const shopAddress = (own: string | null, { baseUrl }: Pick<RouteRequest, 'baseUrl'>): string =>
  own ?? baseUrl;

/** As a request says it; one page stands for both. Errors: Rejection `invalid-request`. */
export const paidFrom = (
  hosts: ReturnHosts,
  request: Pick<RouteRequest, 'baseUrl'> & { readonly body: Partial<Nullish<PaymentPages>> },
): PaidFrom => {
  const { returnUrl, cancelUrl } = request.body;
  const page = returnUrl ?? cancelUrl;
  const ownAddress = shopAddress(hosts.own, request);
  if (page === null || page === undefined) return { ownAddress };
  const pages = { returnUrl: returnUrl ?? page, cancelUrl: cancelUrl ?? page };
  checkPages(pages, hosts);
  return { ownAddress, pages };
};

type Nullish<Fields> = { readonly [Name in keyof Fields]: Fields[Name] | null | undefined };

/** Why an order may be refused. */
export const placingErrors = [
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
  'large-order-waits',
  'order-being-placed',
  'payment-unknown',
];

/** Why an invoice may not be paid. */
export const payingErrors = [
  'invalid-request',
  'no-payment-method',
  'invoice-not-found',
  'not-yours',
  'invoice-already-paid',
  'invoice-cancelled',
  'payment-unknown',
];
