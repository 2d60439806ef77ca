import { joinContributions } from '../shared-kernel/module.ts';
import type { ReferencePart } from '#reference/reference-part.ts';
import type { RunningService } from '../shared-kernel/open-services.ts';
import type { DispatcherDeps } from './engine/module.ts';
import { modules, resumablesOf } from './modules.ts';

/** The dispatcher service: from the log to the receivers. */
export const dispatcherPlan = (applicationKey: Buffer) => {
  const opened = modules.map((module) => ({ module, followed: module.follows?.(applicationKey) }));
  return {
    parts: opened.flatMap(({ followed }) => followed ?? []),
    create: async (options: Omit<DispatcherDeps, 'resumables'>): Promise<RunningService> => {
      const deps = { ...options, resumables: resumablesOf(options.runtime) };
      return {
        ...joinContributions(
          // A module that follows nothing looks at nothing.
          await Promise.all(
            opened.map(({ module, followed }) => module.create(deps, followed as ReferencePart)),
          ),
        ),
        service: 'dispatcher',
        idempotency: null,
        opensBasket: null,
        start: () => undefined,
      };
    },
  };
};
