import type { ProjectionModule } from '#projection/engine/module.ts';
import { explainedByStream } from '#projection/engine/why/explained-view.ts';
import { streamOf } from '#values/stream-name.ts';
import { basketProjection } from './basket.projection.ts';
import { basketRoutes } from './basket.routes.ts';

export const basket: ProjectionModule = {
  name: 'basket',
  projections: [basketProjection],
  explains: [explainedByStream(basketProjection, 'totals.total', streamOf.basket)],
  routes: basketRoutes,
};
