import type { ProjectionModule } from '#projection/engine/module.ts';
import { fulfilmentProviderRoutes } from './fulfilment-providers.routes.ts';

export const fulfilment: ProjectionModule = {
  name: 'fulfilment',
  routes: fulfilmentProviderRoutes,
};
