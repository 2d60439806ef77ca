import { problemsByField, shopErrors } from './shop-errors.ts';
import type { Surface } from './surface.ts';

/** What every process answers: the home page, health, the description of the API; and all that is nowhere else. */
export const root: Surface = {
  name: 'root',
  title: 'Operations and description',
  mountPoints: [''],
  callers: ['anyone', 'recognised'],
  body: { kind: 'json', maxBytes: 1_000_000, isRawKept: false },
  errors: shopErrors,
  invalidRequest: problemsByField,
  cacheControl: 'no-store',
  setsCookies: true,
  positionCookie: 'shop_position',
  isFollowedAtOnce: false,
};
