import { metaOf } from '#command/engine/request-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { restoredBasketResponse } from '#contracts/restored-basket-response.ts';
import { linkValidity, recoveredResponse as response, recoveryParams } from '#contracts/recovery.contract.ts';
import { BASKET_HEADER, basketCookieOf, type BasketCookies } from '#http/basket-cookie.ts';
import { currencyCookie, placeCookies, preferenceCookie } from '#http/cookies.ts';
import { isLookingAhead } from '#http/prefetch.ts';
import { countOpening } from '#http/link-openings.ts';
import type { RateLimit } from '#http/rate-limit.ts';
import {
  ok,
  route,
  visitor,
  type CookieToSet,
  type Reply,
  type Route,
  type RouteRequest,
} from '#http/route.ts';
import { sentOn } from '#http/sent-on.ts';
import { showing } from '#http/shown-rate.ts';
import { Rejection } from '#kernel/rejection.ts';
import { displayRate, presentationFor } from '#reference/presentation.ts';
import type { FoundCheckout, LinkVisitor, Recovery } from './recover.actions.ts';
import { notValid, validityOf } from './recovery.response.ts';

export interface RecoverRouteDeps extends Pick<CommandDeps, 'settings' | 'reference'> {
  readonly recovery: Recovery;
  readonly baskets: BasketCookies;
  /** Of links that are opened from one address. */
  readonly openings: RateLimit;
}

type LinkRequest = RouteRequest<{ readonly token: string }>;

/** Where shoppers go on, back in their basket or not. */
export const CHECKOUT_PAGE = '/checkout';

/** The token, counted. Errors: Rejection `too-many-requests`, `invalid-request`. */
export const tokenOf = async ({ openings }: RecoverRouteDeps, request: LinkRequest): Promise<string> => {
  await countOpening(openings, request);
  const { token } = request.params;
  if (token.trim() === '') throw new Rejection('invalid-request', 'token: must be that of a recovery link.');
  return token;
};

const visitorOf = ({ baskets }: RecoverRouteDeps, request: LinkRequest): LinkVisitor => {
  const shown = request.header(BASKET_HEADER) ?? basketCookieOf(request.cookies);
  return {
    basketId: request.basketId,
    holds: (basketId, memberId) => baskets.read(shown, memberId)?.basketId === basketId,
  };
};

/** The currency of the basket, for a visitor who has chosen none; null: theirs stays. */
const broughtCurrency = (
  deps: RecoverRouteDeps,
  { cookies }: LinkRequest,
  { basket: { preferredCurrency } }: FoundCheckout,
): string | null =>
  cookies[currencyCookie] === undefined && displayRate(deps, preferredCurrency) !== null
    ? preferredCurrency
    : null;

const presentationOf = (deps: RecoverRouteDeps, request: LinkRequest, checkout: FoundCheckout) =>
  presentationFor(deps, broughtCurrency(deps, request, checkout) ?? request.cookies[currencyCookie]);

const restoredCookies = (
  deps: RecoverRouteDeps,
  request: LinkRequest,
  checkout: FoundCheckout,
): CookieToSet[] => {
  const currency = broughtCurrency(deps, request, checkout);
  const { shippingAddress, destination } = checkout.basket;
  if (shippingAddress !== null) return placeCookies(destination, currency);
  return currency === null ? [] : [preferenceCookie(currencyCookie, currency)];
};

const shown = (deps: RecoverRouteDeps, request: LinkRequest, checkout: FoundCheckout): Reply => {
  const presentation = presentationOf(deps, request, checkout);
  const answer = restoredBasketResponse(
    checkout.opening.basketId,
    checkout,
    presentation,
    'Your basket is back.',
  );
  return showing(ok(answer), request, presentation);
};

/** The visitor back in the basket: JSON and cookies. Errors: those of `tokenOf`, and `recovery-link-invalid`. */
export const restore = async (deps: RecoverRouteDeps, request: LinkRequest): Promise<Reply> => {
  const token = await tokenOf(deps, request);
  const checkout = await deps.recovery.recover(token, visitorOf(deps, request), metaOf(request));
  const { opening, memberId, position } = checkout;
  const reply = shown(deps, request, checkout);
  return {
    ...reply,
    cookies: [...restoredCookies(deps, request, checkout), ...(reply.cookies ?? [])],
    basketId: opening.basketId,
    ...(memberId !== null && { basketOf: memberId }),
    ...(position > 0 && { position }),
  };
};

const common = {
  base: 'checkout',
  service: 'command',
  method: 'GET',
  caller: visitor,
  schemas: { params: recoveryParams },
  file: import.meta.url,
} as const;

/** Shoppers who come back by their link, for storefronts with pages of their own. */
export const recoverRoutes = (deps: RecoverRouteDeps): readonly Route[] => [
  route({
    ...common,
    path: '/recover/{token}',
    summary: 'Go back to a checkout that was left, by its link',
    response,
    errors: ['invalid-request', 'recovery-link-invalid', 'too-many-requests'],
    sendsBrowsersOn: true,
    handle: async (request) => {
      if (!isLookingAhead(request)) return sentOn(request, await restore(deps, request), CHECKOUT_PAGE);
      const token = await tokenOf(deps, request);
      return shown(deps, request, await deps.recovery.look(token, visitorOf(deps, request)));
    },
  }),
  route({
    ...common,
    path: '/recover/{token}/validate',
    summary: 'Whether a link still leads to a basket; nothing is changed',
    response: linkValidity,
    errors: ['invalid-request', 'too-many-requests'],
    handle: async (request) => {
      const token = await tokenOf(deps, request);
      const checkout = await deps.recovery.find(token, visitorOf(deps, request));
      if (checkout === null) return ok(notValid);
      return ok(validityOf(checkout, checkout.email, presentationOf(deps, request, checkout)));
    },
  }),
];
