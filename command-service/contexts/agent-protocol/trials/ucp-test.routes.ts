import { offeredCapabilities } from '#agents/capabilities.ts';
import { mainDialect, supportedVersions } from '#agents/dialect-choice.ts';
import type { ModuleDeps } from '#command/engine/module.ts';
import {
  ucpTestBody,
  ucpTestCompleteBody,
  ucpTestDiagnosticsResponse,
  ucpTestSessionBody,
} from '#contracts/ucp-test.contract.ts';
import { admin, ok, route, type Route } from '#http/route.ts';
import { trialSigning, ucpTestRoute, type SignTrial } from '#http/ucp-test-route.ts';

const common = { service: 'command', file: import.meta.url } as const;
const sessions = '/api/v1/checkout-sessions';
const at = (sessionId: string): string => `${sessions}/${encodeURIComponent(sessionId)}`;

const stepsOf = (agentBaseUrl: string, sign: SignTrial | undefined): readonly Route[] => {
  const shared = { ...common, agentBaseUrl, sign };
  return [
    ucpTestRoute({
      ...shared,
      step: 'manifest',
      summary: 'What a test agent is told that it can do here',
      body: ucpTestBody,
      ask: () => ({ method: 'GET', path: '/.well-known/ucp' }),
    }),
    ucpTestRoute({
      ...shared,
      step: 'sessions/create',
      summary: 'Begin a checkout session as a test agent',
      body: ucpTestBody,
      ask: ({ request }) => ({ method: 'POST', path: sessions, body: request ?? {} }),
    }),
    ucpTestRoute({
      ...shared,
      step: 'sessions/get',
      summary: 'A checkout session of a test agent',
      body: ucpTestSessionBody,
      ask: ({ sessionId }) => ({ method: 'GET', path: at(sessionId) }),
    }),
    ucpTestRoute({
      ...shared,
      step: 'sessions/update',
      summary: 'Change a checkout session as a test agent',
      body: ucpTestSessionBody,
      ask: ({ sessionId, request }) => ({ method: 'PUT', path: at(sessionId), body: request ?? {} }),
    }),
    ucpTestRoute({
      ...shared,
      step: 'sessions/complete',
      summary: 'Pay a checkout session as a test agent; only with `dryRun: false` is anything paid',
      body: ucpTestCompleteBody,
      ask: ({ sessionId, request }) => ({
        method: 'POST',
        path: `${at(sessionId)}/complete`,
        body: request ?? {},
      }),
      look: ({ sessionId }) => ({ method: 'GET', path: at(sessionId) }),
    }),
    ucpTestRoute({
      ...shared,
      step: 'sessions/cancel',
      summary: 'Give up a checkout session as a test agent',
      body: ucpTestSessionBody,
      ask: ({ sessionId }) => ({ method: 'POST', path: `${at(sessionId)}/cancel` }),
    }),
  ];
};

type Deps = Pick<ModuleDeps, 'config' | 'protocols' | 'reference' | 'apis' | 'ownKeys' | 'clock'>;

const diagnostics = ({ config, protocols, reference, apis }: Deps): Route =>
  route({
    ...common,
    base: 'management',
    method: 'GET',
    path: '/ucp-test/diagnostics',
    caller: admin,
    summary: 'How the shop is set up for agents',
    response: ucpTestDiagnosticsResponse,
    handle: async ({ baseUrl }) => {
      const { ucp, publicBaseUrl } = config.protocol;
      return ok({
        version: ucp.version,
        supportedVersions: supportedVersions(ucp.version),
        manifestUrl: `${publicBaseUrl || baseUrl}/.well-known/ucp`,
        protocols: protocols.aliases().map((alias) => {
          const { alias: _, enabled: __, ...operations } = protocols.find(alias) ?? { alias, enabled: false };
          return { alias, operations: Object.keys(operations) };
        }),
        capabilities: offeredCapabilities(ucp, mainDialect(ucp.version)).map(({ name }) => name),
        paymentHandlers: apis.payments.offeredToAgents().map(({ alias }) => alias),
        signingKeys: reference.signingKeys.published().map(({ kid }) => kid),
        profileResolution: ucp.profileResolution,
        allowedAgents: ucp.allowedAgents,
        testAgentEnabled: ucp.testAgentEnabled,
        testEndpointsEnabled: ucp.testEndpoints.enabled,
      });
    },
  });

/** Purchases of agents, tried out step by step by staff (docs/rules/agents.md#trying-it-out). */
export const ucpTestRoutes = (deps: Deps): readonly Route[] => [
  ...stepsOf(
    deps.config.protocol.publicBaseUrl,
    deps.config.protocol.ucp.requireSignature ? trialSigning(deps) : undefined,
  ),
  diagnostics(deps),
];
