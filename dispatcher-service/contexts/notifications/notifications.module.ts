import type { DispatcherModule } from '#dispatcher/engine/module.ts';
import { noHooks } from '#runtime/hooks-file.ts';
import { runHandlers } from './run-handlers.ts';

export const notifications: DispatcherModule = {
  name: 'notifications',
  create: async ({ house, hooks: { handlers } = noHooks }) => {
    if (handlers.length === 0) return {};
    const running = await runHandlers({ ...house, handlers });
    return {
      followers: [{ name: 'hook handlers', waitFor: running.waitFor }],
      stop: running.stop,
    };
  },
};
