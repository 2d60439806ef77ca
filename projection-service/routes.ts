import type { Route } from '#http/route.ts';
import { basketQueryRoutes } from './contexts/basket/basket.routes.ts';
