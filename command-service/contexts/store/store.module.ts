import type { CommandModule } from '#command/engine/module.ts';
import { createStoreImport } from './import-store.ts';
import { openStore } from './open-store.ts';
import { storeRoutes } from './store.routes.ts';

export const store: CommandModule = {
  name: 'store',
  create: (deps) => {
    const importStore = createStoreImport(deps);
    return {
      routes: storeRoutes({ importStore }),
      prepare: (onProgress) => openStore(deps, importStore, onProgress),
    };
  },
};
