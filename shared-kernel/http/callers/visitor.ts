import { anyone } from './anyone.ts';
import type { Caller } from './caller.ts';
import { admitShopper } from './member.ts';

/** Anyone, known by the basket cookie, and as a member by their token. */
export const visitor: Caller = { ...anyone, kind: 'visitor', isShopper: true, admit: admitShopper };
