import { refusals } from './refusal.ts';

/** Below `/oauth` the body has them in `error`, with underscores for hyphens. */
export const identityLinking = refusals('Linking of accounts to agents', {
  'invalid-client': {
    status: 401,
    when: 'The client is not registered, or its secret is missing or wrong.',
    remedy: 'Send `client_id`, with a secret as HTTP Basic.',
  },
  'invalid-grant': {
    status: 400,
    when: 'The code or refresh token is wrong, used, expired, revoked, of another client, or does not match its address or verifier.',
    remedy: 'Ask the member again.',
  },
  'invalid-scope': {
    status: 400,
    when: 'The scope is unknown, or the member has not granted it.',
    remedy: 'Ask for `ucp:scopes:checkout_session`.',
  },
  'unsupported-grant-type': {
    status: 400,
    when: '`grant_type` is neither `authorization_code` nor `refresh_token`.',
    remedy: 'Use one of them.',
  },
});
