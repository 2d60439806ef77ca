import { z } from 'zod';
import { problemsByField } from './shop-errors.ts';
import type { ErrorForm, Failure, Surface } from './surface.ts';

/** Errors that OAuth has names for; all others are `invalid_request`. */
const errorOf = ({ status, code }: Failure): string => {
  if (status === 503) return 'temporarily_unavailable';
  if (status >= 500) return 'server_error';
  return own.has(code) ? code.replaceAll('-', '_') : 'invalid_request';
};

const own: ReadonlySet<string> = new Set([
  'invalid-client',
  'invalid-grant',
  'invalid-scope',
  'unsupported-grant-type',
]);

/** `{ error, error_description }` (RFC 6749, 5.2). */
const oauthErrors: ErrorForm = {
  name: 'OAuthError',
  schema: z.object({ error: z.string(), error_description: z.string() }),
  write: (failure) => ({
    code: failure.code,
    json: { error: errorOf(failure), error_description: failure.message },
    headers: { Pragma: 'no-cache' },
  }),
};

/** Where agents fetch and give back tokens (docs/rules/identity-linking.md). */
export const oauth: Surface = {
  name: 'oauth',
  title: 'Tokens of agents',
  mountPoints: ['/oauth'],
  callers: ['anyone'],
  body: { kind: 'form', maxBytes: 16_384, isRawKept: false },
  errors: oauthErrors,
  invalidRequest: problemsByField,
  cacheControl: 'no-store',
  setsCookies: false,
  positionCookie: 'shop_position',
  isFollowedAtOnce: true,
  hasAgentAddress: true,
};
