import type { Actor } from '#kernel/event.ts';
import type { AgentDemands } from '../agent-step.ts';
import { stranger } from './anyone.ts';
import type { Caller } from './caller.ts';

const ucpAgent = { ucpAgent: { type: 'apiKey', in: 'header', name: 'UCP-Agent' } } as const;
const linkedMember = {
  linkedMember: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of a member who has linked the agent.',
  },
} as const;

const stepErrors = [
  'https_required',
  'tls_version_unsupported',
  'profile_not_trusted',
  'version_unsupported',
  'digest_mismatch',
  'key_not_found',
  'algorithm_unsupported',
  'signature_invalid',
  'signature_missing',
  'access_denied',
  'rate_limited',
  'invalid_profile_url',
  'profile_unreachable',
  'profile_malformed',
];

const admit: Caller['admit'] = ({ agent }): Actor =>
  agent?.identity ? { kind: 'agent', id: agent.identity.profileUri } : stranger;

const demanding = (caller: Pick<Caller, 'kind' | 'label' | 'errors'>, demands: AgentDemands): Caller => ({
  ...caller,
  ...(demands.mayBeAnonymous
    ? { security: [{}, { ucpAgent: [] }], schemes: ucpAgent }
    : {
        security: [{ ucpAgent: [] }, { ucpAgent: [], linkedMember: [] }],
        schemes: { ...ucpAgent, ...linkedMember },
      }),
  identify: (request, { agents }) => agents.identify(request, demands),
  admit,
});

const one = {
  mayBeAnonymous: false,
  needsProfile: false,
  followsProfile: false,
  counted: 'request',
} as const;
const known = { ...one, needsProfile: true } as const;
const errors = [...stepErrors, 'invalid_token', 'insufficient_scope'];

/** An agent that names its profile: whose sessions and carts they are. */
export const agent: Caller = demanding({ kind: 'agent', errors }, one);

/** An agent whose profile is looked at: what it begins is shaped by what it can do. */
export const knownAgent: Caller = demanding(
  { kind: 'agent', label: 'known agent', errors },
  { ...known, followsProfile: true },
);

/** The same, at the till: the session has its dialect already. */
export const payingAgent: Caller = demanding(
  { kind: 'agent', label: 'known agent', errors },
  { ...known, counted: 'complete' },
);

/** Callers who ask what the shop can do; an agent learns what it has in common with it. */
export const discoveringAgent: Caller = demanding(
  { kind: 'discovering agent', errors: stepErrors },
  { mayBeAnonymous: true, needsProfile: true, followsProfile: true, counted: 'nothing' },
);

/** Anyone: who names a version is answered in it. */
export const browsingAgent: Caller = {
  kind: 'browsing agent',
  security: [{}, { ucpAgent: [] }],
  schemes: ucpAgent,
  errors: ['version_unsupported'],
  identify: (request, { agents }) => agents.browse(request),
  admit,
};
