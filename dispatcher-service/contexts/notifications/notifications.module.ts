import type { DispatcherModule } from '#dispatcher/engine/module.ts';
import { noHooks } from '#runtime/hooks-file.ts';
import { resumeHandlers } from './handler-mark.ts';
import { runHandlers } from './run-handlers.ts';

export const notifications: DispatcherModule = {
  name: 'notifications',
  resumable: (engines) => ({
    name: 'hook handlers',
    resume: (wish) => resumeHandlers(engines, wish),
  }),
  create: async ({ runtime, hooks: { handlers } = noHooks }) => {
    if (handlers.length === 0) return {};
    const running = await runHandlers({ ...runtime, handlers });
    return {
      checks: [
        {
          name: 'hook handlers',
          check: () =>
            running.stopped && `stopped at position ${running.stopped.position}: ${running.stopped.message}`,
        },
      ],
      followers: [{ name: 'hook handlers', waitFor: running.waitFor }],
      stop: running.stop,
    };
  },
};
