import type { ModuleDeps } from '#command/engine/module.ts';
import { metaOf } from '#command/engine/request-meta.ts';
import { agentKeyList, agentKeyPage, rotateAgentKeys } from '#contracts/agent-keys.contract.ts';
import { admin, ok, route, type Route } from '#http/route.ts';
import type { SigningKeyActions } from './signing-keys.actions.ts';

type Deps = Pick<ModuleDeps, 'reference' | 'clock'> & { readonly actions: SigningKeyActions };

/** The projection service lists them (docs/rules/agents.md#signing-keys). */
export const signingKeyRoutes = ({ actions, reference, clock }: Deps): readonly Route[] => [
  route({
    base: 'management',
    service: 'command',
    method: 'POST',
    path: '/agent-keys/rotate',
    caller: admin,
    summary: 'Replace the active signing key by a new one; returns all keys',
    schemas: { body: rotateAgentKeys },
    response: agentKeyPage,
    errors: ['invalid-request'],
    isIdempotent: true,
    file: import.meta.url,
    handle: async (request) => {
      const { position } = await actions.rotate(request.body, metaOf(request));
      return ok(agentKeyList(reference.signingKeys, clock.now()), { position });
    },
  }),
];
