import { currencyCookie, placeOf } from '#http/cookies.ts';
import { asOfNow } from '#events/basket-session.ts';
import type { Reply, RouteRequest } from '#http/route.ts';
import { showing } from '#http/shown-rate.ts';
import { requestedLocation, type ChosenPlace, type Location } from '#reference/location.ts';
import { presentationFor } from '#reference/presentation.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { basketProjection, isShownTo, type BasketDocument, type OpenBasket } from './basket.projection.ts';
import { shownBasket } from './basket.queries.ts';

type Asked = Pick<RouteRequest, 'cookies' | 'basketId' | 'actor'>;

/** Reading changes nothing: an unknown basket, or none, is the empty form, without a row or a cookie. */
export const createBasketReader = (deps: ProjectionDeps) => {
  const presentation = ({ cookies }: Pick<Asked, 'cookies'>) =>
    presentationFor(deps, cookies[currencyCookie]);
  return {
    basketOf: async ({ basketId, actor }: Asked): Promise<OpenBasket | null> => {
      if (basketId === null) return null;
      const found = shownBasket(await deps.reader.get<BasketDocument>(basketProjection.name, basketId));
      if (!found || !isShownTo(found, actor)) return null;
      return asOfNow(found, deps.settings(), deps.clock.now());
    },

    locationOfShopper: ({ cookies }: Asked, asked: ChosenPlace = {}): Location =>
      requestedLocation(asked, placeOf(cookies), deps.settings(), deps.reference.shipping),

    presentation,

    /** Remembers how the basket was shown; sets no cookie without one. */
    showing: (reply: Reply, request: Asked, basket: OpenBasket | null): Reply =>
      basket === null ? reply : showing(reply, request, presentation(request)),
  };
};

export type BasketReader = ReturnType<typeof createBasketReader>;
