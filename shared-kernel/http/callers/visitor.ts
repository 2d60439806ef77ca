import { anyone } from './anyone.ts';
import type { Caller } from './caller.ts';

/** Anyone, known by the basket cookie. */
export const visitor: Caller = { ...anyone, kind: 'visitor' };
