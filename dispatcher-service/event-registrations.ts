import { notificationsByType } from '#topics/event-notifications.ts';
import { announcedEventTypes } from '#topics/topics.ts';
import type { EventRegistrations, Reaction } from '../shared-kernel/event-flow/registrations.ts';
import { modules } from './modules.ts';

const noKey = Buffer.alloc(32);

/** Each name with the types that lead to it. */
const typesByName = (namesByType: ReadonlyMap<string, readonly string[]>) => {
  const pairs = [...namesByType].flatMap(([type, names]) => names.map((name) => ({ name, type })));
  return [...Map.groupBy(pairs, ({ name }) => name)].map(([name, all]) => ({
    name,
    types: all.map(({ type }) => type),
  }));
};

/** What goes out after an event, and what the service folds to know where to. */
export const eventRegistrations = (): EventRegistrations => {
  const parts = modules.flatMap(({ follows }) => follows?.(noKey) ?? []);
  return {
    reactions: [
      ...parts.map(({ name, on }): Reaction => ({ role: 'memory', name, types: Object.keys(on) })),
      ...typesByName(announcedEventTypes).map((topic): Reaction => ({ role: 'topic', ...topic })),
      ...typesByName(notificationsByType).map((notification): Reaction => ({
        role: 'handler',
        file: 'shared-kernel/topics/event-notifications.ts',
        ...notification,
      })),
    ],
  };
};
