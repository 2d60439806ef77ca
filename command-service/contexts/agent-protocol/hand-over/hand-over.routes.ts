import { metaOf } from '#command/engine/request-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { handedOverResponse, recoveryParams } from '#contracts/recovery.contract.ts';
import { restoredBasketResponse } from '#contracts/restored-basket-response.ts';
import { currencyCookie, preferenceCookie } from '#http/cookies.ts';
import { countOpening } from '#http/link-openings.ts';
import { isLookingAhead } from '#http/prefetch.ts';
import type { RateLimit } from '#http/rate-limit.ts';
import { ok, route, visitor, type Reply, type Route, type RouteRequest } from '#http/route.ts';
import { showing } from '#http/shown-rate.ts';
import { knownEmail } from '#events/basket-view.ts';
import { displayRate, presentationFor } from '#reference/presentation.ts';
import type { HandedOverBasket, HandOverActions } from './hand-over.actions.ts';

export interface HandOverRouteDeps extends Pick<CommandDeps, 'settings' | 'reference'> {
  readonly handOver: HandOverActions;
  /** Of links that are opened from one address. */
  readonly openings: RateLimit;
}

/** The agent's currency, for a shopper who has chosen none; null: theirs stays. */
const broughtCurrency = (
  deps: HandOverRouteDeps,
  { cookies }: RouteRequest,
  { currency }: HandedOverBasket,
): string | null =>
  cookies[currencyCookie] === undefined && displayRate(deps, currency) !== null ? currency : null;

const shown = (deps: HandOverRouteDeps, request: RouteRequest, handedOver: HandedOverBasket): Reply => {
  const { basketId, basket } = handedOver;
  const currency = broughtCurrency(deps, request, handedOver) ?? request.cookies[currencyCookie];
  const presentation = presentationFor(deps, currency);
  const answer = restoredBasketResponse(basketId, handedOver, presentation, 'This is your basket.');
  return showing(ok({ ...answer, email: knownEmail(basket) }), request, presentation);
};

/** Where storefronts take the token of a `continue_url` to. */
export const handOverRoutes = (deps: HandOverRouteDeps): readonly Route[] => [
  route({
    base: 'checkout',
    service: 'command',
    method: 'GET',
    path: '/continue/{token}',
    caller: visitor,
    summary: 'Go on with what an agent has begun, by its link',
    schemas: { params: recoveryParams },
    response: handedOverResponse,
    errors: ['hand-over-link-invalid', 'too-many-requests'],
    file: import.meta.url,
    handle: async (request) => {
      await countOpening(deps.openings, request);
      const { token } = request.params;
      const meta = metaOf(request);
      if (isLookingAhead(request)) return shown(deps, request, await deps.handOver.look(token, meta));
      const handedOver = await deps.handOver.open(token, meta);
      const currency = broughtCurrency(deps, request, handedOver);
      const reply = shown(deps, request, handedOver);
      return {
        ...reply,
        cookies: [
          ...(currency === null ? [] : [preferenceCookie(currencyCookie, currency)]),
          ...(reply.cookies ?? []),
        ],
        basketId: handedOver.basketId,
      };
    },
  }),
];
