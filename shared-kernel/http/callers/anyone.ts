import type { Actor } from '#kernel/event.ts';
import type { Caller } from './caller.ts';

/** A stranger, as events have them. */
export const stranger: Actor = { kind: 'visitor', id: null };

export const anyone: Caller = { kind: 'anyone', security: [], errors: [], admit: () => stranger };
