import { entities } from '#entities/entities.ts';
import { defined } from '#kernel/defined.ts';
import type { EventRegistrations } from '../shared-kernel/event-flow/registrations.ts';
import { projectionsOf } from './engine/join-modules.ts';
import { modules } from './modules.ts';

const declaredIn = new Map<string, string>(entities.map(({ list, file }) => [list, file]));

/** Read models, by the events that change them. */
export const eventRegistrations = (): EventRegistrations => ({
  reactions: projectionsOf(modules).map(({ name, on }) => ({
    role: 'view',
    name,
    types: Object.keys(on),
    ...defined({ file: declaredIn.get(name) }),
  })),
});
