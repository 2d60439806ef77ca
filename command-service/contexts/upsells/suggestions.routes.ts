import { metaOf } from '#command/engine/request-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { placeQuery } from '#contracts/places.contract.ts';
import { productParams } from '#contracts/storefront.contract.ts';
import { suggestionsResponse, suggestionsQuery } from '#contracts/upsells.contract.ts';
import { currencyCookie, placeOf } from '#http/cookies.ts';
import { ok, route, visitor, type Reply, type Route, type RouteRequest } from '#http/route.ts';
import type { ChosenPlace } from '#reference/location.ts';
import { presentationFor } from '#reference/presentation.ts';
import { suggestionResponses } from './suggestion.response.ts';
import type { Asking, Suggested, SuggestionActions } from './suggestions.actions.ts';

const common = {
  base: 'storefront',
  service: 'command',
  caller: visitor,
  method: 'GET',
  response: suggestionsResponse,
  file: import.meta.url,
} as const;

type Shopper = Pick<RouteRequest, 'cookies' | 'basketId'>;

export interface SuggestionRouteDeps extends Pick<CommandDeps, 'settings' | 'reference'> {
  readonly actions: SuggestionActions;
}

/** Suggestions for shoppers (docs/rules/upsells.md#for-shoppers). */
export const suggestionRoutes = (deps: SuggestionRouteDeps): readonly Route[] => {
  const { actions, reference } = deps;
  const asking = (request: Parameters<typeof metaOf>[0] & Shopper, asked: ChosenPlace): Asking => ({
    basketId: request.basketId,
    actor: metaOf(request).actor,
    asked,
    chosen: placeOf(request.cookies),
  });
  const shown = ({ cookies }: Shopper, { suggestions, location }: Suggested): Reply => {
    const presentation = presentationFor(deps, cookies[currencyCookie]);
    return ok(suggestionResponses({ reference, presentation, location }, suggestions));
  };
  return [
    route({
      ...common,
      path: '/upsells',
      summary: 'What the shop suggests beside what is in the basket',
      schemas: { query: suggestionsQuery },
      errors: ['invalid-request'],
      handle: async (request) => {
        const { location, ...place } = request.query;
        return shown(request, await actions.forBasket(asking(request, place), location));
      },
    }),
    route({
      ...common,
      path: '/upsells/product/{productId}',
      summary: 'What the shop suggests beside a product',
      schemas: { params: productParams, query: placeQuery },
      errors: ['invalid-request', 'entity-not-found'],
      handle: async (request) => {
        const { params, query } = request;
        return shown(request, await actions.forProduct(asking(request, query), params.productId));
      },
    }),
  ];
};
