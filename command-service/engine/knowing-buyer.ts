import type { Route } from '#http/route.ts';
import type { Neighbours } from '../neighbours.ts';
import { metaOf } from './request-meta.ts';

/**
 * Routes that change a basket: it is told first who asks, where that is somebody else than it knows, so that everything
 * is priced for them (docs/rules/members.md#basket).
 */
export const knowingBuyer = (
  routes: readonly Route[],
  { neighbours }: { readonly neighbours: Pick<Neighbours, 'members'> },
): readonly Route[] =>
  routes.map((route) =>
    route.method === 'GET'
      ? route
      : {
          ...route,
          handle: async (request) => {
            await neighbours.members.settle(request.basketId, metaOf(request));
            return route.handle(request);
          },
        },
  );
