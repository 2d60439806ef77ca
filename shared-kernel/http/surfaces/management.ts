import { problemsAsList, shopErrors } from './shop-errors.ts';
import type { Surface } from './surface.ts';

/** The backoffice. Of one order, `GET /api/v1/orders/{guid}` belongs to the agent protocol. */
export const management: Surface = {
  name: 'management',
  title: 'Management',
  mountPoints: ['/backoffice/api/v1', '/api/v1'],
  isAliased: ({ method, path }) => method !== 'GET' || !/^\/orders\/\{[^/}]+\}$/.test(path),
  callers: ['anyone', 'backoffice'],
  body: { kind: 'json', maxBytes: 1_000_000, isRawKept: false },
  errors: shopErrors,
  invalidRequest: problemsAsList,
  cacheControl: 'no-store',
  setsCookies: true,
  positionCookie: 'shop_position',
  isFollowedAtOnce: true,
  namesIgnored: true,
};
