import { taxGroupAnswer, taxGroupSchema } from '#contracts/tax.contract.ts';
import type { Route } from '#http/route.ts';
import { entityRoutes } from '../../engine/entity-routes.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { entityOf } from '../../entity-document.ts';
import { taxGroupListProjection, type TaxGroupDocument } from './tax-group-list.projection.ts';

/** Tax groups, to be read; what changes them is the command service's. */
export const taxRoutes = (deps: ProjectionDeps): readonly Route[] =>
  entityRoutes<TaxGroupDocument>(deps, {
    view: taxGroupListProjection,
    path: '/tax-groups',
    noun: 'tax group',
    answer: taxGroupSchema,
    toAnswer: (document) => taxGroupAnswer(entityOf(document)),
    file: 'projection-service/contexts/tax/tax.routes.ts',
  });
