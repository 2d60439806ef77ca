import type { Route } from '#http/route.ts';
import type { AnyProjection } from '#kernel/projection.ts';
import { entityQueryRoutes } from './entity-routes.ts';
import { entitiesByContext, entityViews } from './entity-view.ts';
import type { ProjectionModule } from './module.ts';
import { readViews } from './read-views.ts';
import type { ProjectionDeps } from './service-deps.ts';
import type { DiscountDays } from './why/explained-view.ts';
import type { ExplanationsOptions } from './why/explanations.ts';

/** Every read model of the modules, and of the resources. */
export const projectionsOf = (modules: readonly ProjectionModule[]): readonly AnyProjection[] => [
  ...modules.flatMap(({ projections = [] }) => projections),
  ...entityViews,
];

/** Every query that is answered from read models. */
export const queriesOf = (modules: readonly ProjectionModule[], deps: ProjectionDeps): readonly Route[] => {
  const shown = new Set(modules.flatMap(({ shows = [] }) => shows));
  const others = entitiesByContext.filter(({ category }) => !shown.has(category));
  return [
    ...modules.flatMap((module) => module.routes?.(deps) ?? []),
    ...others.flatMap((kind) => entityQueryRoutes(deps, kind)),
  ].map((route) => readViews(deps, route));
};

/** What the modules say of where events are found. */
export const explainedBy = (
  modules: readonly ProjectionModule[],
): Pick<ExplanationsOptions, 'explained' | 'discountDays'> => ({
  explained: modules.flatMap(({ explains = [] }) => explains),
  discountDays: modules.find(({ discountDays }) => discountDays)?.discountDays ?? noDays,
});

const noDays: DiscountDays = () => Promise.resolve([]);
