import type { DispatcherModule } from '#dispatcher/engine/module.ts';
import { dispatchRoutes } from './dispatch.routes.ts';

export const dispatch: DispatcherModule = {
  name: 'dispatch',
  create: async ({ runtime: { store }, resumables }) => ({ routes: dispatchRoutes({ store, resumables }) }),
};
