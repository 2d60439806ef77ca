import { stranger } from './anyone.ts';
import { reader } from './backoffice.ts';
import type { Caller } from './caller.ts';

/** Anyone; staff, known by their credential, are told more than strangers. */
export const recognised: Caller = {
  kind: 'recognised',
  security: [{}, ...reader.security],
  errors: [],
  admit: async (request, identity, params) => {
    if (request.header('authorization') === undefined) return stranger;
    try {
      return await reader.admit(request, identity, params);
    } catch {
      return stranger;
    }
  },
};
