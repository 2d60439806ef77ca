import { agentErrors, requestProblems } from '../agent-errors.ts';
import { agentKeys } from '../agent-keys.ts';
import type { Surface } from './surface.ts';

/**
 * Agents who buy for people (docs/rules/agents.md). Paths are written whole: they stand among those of the backoffice's
 * alias, and what is nowhere below them is refused in the protocol's form.
 */
export const agent: Surface = {
  name: 'agent',
  title: 'Agents',
  mountPoints: [''],
  answersBelow: [
    '/.well-known/ucp',
    '/.well-known/ucp-test-agent',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource',
    '/api/v1/checkout-sessions',
    '/api/v1/carts',
    '/api/v1/orders',
    '/api/v1/catalog',
  ],
  callers: ['anyone', 'agent', 'discovering agent', 'browsing agent'],
  body: { kind: 'json', maxBytes: 262_144, isRawKept: true },
  errors: agentErrors,
  invalidRequest: requestProblems,
  cacheControl: 'no-store',
  setsCookies: false,
  positionCookie: 'shop_position',
  isFollowedAtOnce: false,
  isForAgents: true,
  hasAgentAddress: true,
  keys: agentKeys,
};
