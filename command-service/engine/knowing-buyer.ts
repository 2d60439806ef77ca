import type { Route } from '#http/route.ts';
import type { ContextApis } from '../context-apis.ts';
import { metaOf } from './request-meta.ts';

/**
 * Routes that change a basket: if the caller is not the one it knows, it is told first, so that everything is priced
 * for them (docs/rules/members.md#basket).
 */
export const knowingBuyer = (
  routes: readonly Route[],
  { apis }: { readonly apis: Pick<ContextApis, 'members'> },
): readonly Route[] =>
  routes.map((route) =>
    route.method === 'GET'
      ? route
      : {
          ...route,
          handle: async (request) => {
            await apis.members.settle(request.basketId, metaOf(request));
            return route.handle(request);
          },
        },
  );
