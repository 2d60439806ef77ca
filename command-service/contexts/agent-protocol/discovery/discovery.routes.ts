import { UCP, type AdapterPart } from '#agents/commerce-protocol.ts';
import { manifestMaxAgeSeconds } from '#agents/manifest-max-age.ts';
import type { ProtocolManager } from '#agents/protocol-manager.ts';
import { isTestAgentId } from '#agents/test-agent.ts';
import {
  incompatibleManifest,
  leafParams,
  manifestResponse,
  testAgentParams,
  testAgentResponse,
} from '#contracts/agent-discovery.contract.ts';
import { ProtocolRejection } from '#http/protocol-rejection.ts';
import { anyone, discoveringAgent, route, type Reply, type Route } from '#http/route.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { Config } from '#runtime/config.ts';
import type { Manifests } from './manifests.ts';

const headersOf = (settings: Config['protocol']) => ({
  'Content-Type': 'application/json',
  'Cache-Control': `public, max-age=${manifestMaxAgeSeconds(settings)}`,
  Vary: 'UCP-Agent',
});

const sent = (text: string, headers: Readonly<Record<string, string>>): Reply => ({
  status: 200,
  text,
  headers,
});

const manifestPart = (manifests: Manifests): AdapterPart => ({
  alias: UCP,
  enabled: true,
  manifest: async ({ agent, baseUrl }) => ({
    httpStatus: 200,
    dialect: agent.dialect,
    result: manifests.manifest(agent, baseUrl),
  }),
});

/** Where agents find out what they can do here (docs/rules/agents.md#manifest). */
export const discoveryRoutes = (
  manifests: Manifests,
  protocols: ProtocolManager,
  settings: Config['protocol'],
): readonly Route[] => {
  protocols.register(manifestPart(manifests));
  const manifest = protocols.asking(UCP, 'manifest');
  const headers = headersOf(settings);
  const unresolved = { ...headers, 'UCP-Negotiation': 'unresolved' };
  const shared = { base: 'agent', method: 'GET', service: 'command', file: import.meta.url } as const;
  return [
    route({
      ...shared,
      path: '/.well-known/ucp',
      caller: discoveringAgent,
      summary: 'What agents can do here; for one that names its profile, what both sides can do',
      response: manifestResponse.or(incompatibleManifest),
      handle: async ({ agent, baseUrl }) => {
        if (!agent) throw new TypeError('the manifest is asked for without the step of agents');
        const { identity } = agent;
        const isUnresolved = identity !== null && identity.capabilities === null;
        const answer = await manifest({ agent, baseUrl });
        if ('error' in answer) throw new ProtocolRejection(answer.error);
        return sent(answer.result, isUnresolved ? unresolved : headers);
      },
    }),
    route({
      ...shared,
      path: '/.well-known/ucp/{version}',
      caller: discoveringAgent,
      summary: 'The same in one version of the protocol',
      schemas: { params: leafParams },
      response: manifestResponse,
      errors: ['not-found'],
      handle: async ({ params: { version }, baseUrl }) => {
        const text = manifests.leaf(version, baseUrl);
        if (text === null) throw new Rejection('not-found', 'This shop does not speak that version.');
        return sent(text, headers);
      },
    }),
    route({
      ...shared,
      path: '/.well-known/ucp-test-agent/{agentId}',
      caller: anyone,
      summary: 'The profile of a test agent, signed for by the keys of the shop',
      schemas: { params: testAgentParams },
      response: testAgentResponse,
      errors: ['invalid', 'not-found'],
      handle: async ({ params: { agentId }, baseUrl }) => {
        if (!settings.ucp.testAgentEnabled) throw new Rejection('not-found', 'This shop has no test agents.');
        if (!isTestAgentId(agentId))
          throw new Rejection(
            'invalid',
            'agentId: must be 1 to 64 letters, digits, dots, underscores or hyphens',
          );
        return sent(manifests.testAgent(agentId, baseUrl), headers);
      },
    }),
  ];
};
