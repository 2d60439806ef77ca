import { discountAnswer, discountSchema } from '#contracts/discounts.contract.ts';
import type { Route } from '#http/route.ts';
import { entityOrder, listingRoutes } from '../../engine/entity-routes.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { entityOf } from '../../entity-document.ts';
import { discountListProjection, type DiscountDocument } from './discount-list.projection.ts';

/** Discounts, to be read; what changes them is the command service's. */
export const discountsRoutes = (deps: ProjectionDeps): readonly Route[] =>
  listingRoutes<DiscountDocument>(deps, {
    view: discountListProjection,
    path: '/discounts',
    noun: 'discount',
    order: entityOrder,
    answer: discountSchema,
    toAnswer: (document) =>
      discountAnswer(entityOf(document), document.usageCount, deps.settings().storeCurrencyCode),
    file: import.meta.url,
  });
