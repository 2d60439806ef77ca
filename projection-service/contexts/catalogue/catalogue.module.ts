import type { ProjectionModule } from '#projection/engine/module.ts';
import { agentCatalogueRoutes } from './agents/agent-catalogue.routes.ts';
import { explainedStock } from './explained-stock.ts';
import { productListProjection } from './product-list.projection.ts';
import { productLivesProjection } from './product-lives.projection.ts';
import { productRoutes } from './products.routes.ts';
import { shopProductRoutes } from './shop-products.routes.ts';
import { stockLevelsProjection } from './stock-levels.projection.ts';

export const catalogue: ProjectionModule = {
  name: 'catalogue',
  projections: [productListProjection, productLivesProjection, stockLevelsProjection],
  explains: [explainedStock],
  routes: (deps) => [...productRoutes(deps), ...shopProductRoutes(deps), ...agentCatalogueRoutes(deps)],
};
