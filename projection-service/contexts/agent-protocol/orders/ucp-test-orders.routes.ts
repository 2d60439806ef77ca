import { ucpTestOrderBody } from '#contracts/ucp-test.contract.ts';
import type { Route } from '#http/route.ts';
import { trialSigning, ucpTestRoute } from '#http/ucp-test-route.ts';
import type { ProjectionDeps } from '../../../engine/service-deps.ts';

/** The last step of a purchase that staff try out (docs/rules/agents.md#trying-it-out). */
export const ucpTestOrdersRoutes = (
  deps: Pick<ProjectionDeps, 'agentBaseUrl' | 'ucp' | 'ownKeys' | 'clock'>,
): readonly Route[] => [
  ucpTestRoute({
    service: 'projection',
    agentBaseUrl: deps.agentBaseUrl,
    sign: deps.ucp?.requireSignature ? trialSigning(deps) : undefined,
    step: 'orders/get',
    summary: 'An order of a test agent',
    body: ucpTestOrderBody,
    ask: ({ orderId }) => ({ method: 'GET', path: `/api/v1/orders/${encodeURIComponent(orderId)}` }),
    file: import.meta.url,
  }),
];
