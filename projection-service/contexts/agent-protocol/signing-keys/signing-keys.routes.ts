import { agentKeyList, agentKeyPage, agentKeyQuery } from '#contracts/agent-keys.contract.ts';
import { ok, reader, route, type Route } from '#http/route.ts';
import { referenceState, type ProjectionDeps } from '../../../engine/service-deps.ts';

/** The command service rotates them (docs/rules/agents.md#signing-keys). */
export const signingKeyRoutes = ({
  reference,
  clock,
}: Pick<ProjectionDeps, 'reference' | 'clock'>): readonly Route[] => [
  route({
    base: 'management',
    service: 'projection',
    method: 'GET',
    path: '/agent-keys',
    caller: reader,
    summary: 'List the signing keys of the shop, newest first',
    schemas: { query: agentKeyQuery },
    response: agentKeyPage,
    reads: [referenceState],
    file: import.meta.url,
    handle: ({ query }) => Promise.resolve(ok(agentKeyList(reference.signingKeys, clock.now(), query))),
  }),
];
