import type { ProjectionModule } from '#projection/engine/module.ts';
import { activityRoutes } from './activity/activity.routes.ts';
import { agentCartsProjection } from './carts/agent-carts.projection.ts';
import { agentOrdersProjection } from './orders/agent-orders.projection.ts';
import { agentOrdersRoutes } from './orders/agent-orders.routes.ts';
import { ucpTestOrdersRoutes } from './orders/ucp-test-orders.routes.ts';
import { agentSessionsProjection } from './sessions/agent-sessions.projection.ts';
import { signingKeyRoutes } from './signing-keys/signing-keys.routes.ts';

/** What agents and staff read of what agents do (docs/rules/agent-orders.md). */
export const agentProtocol: ProjectionModule = {
  name: 'agent-protocol',
  projections: [agentOrdersProjection, agentSessionsProjection, agentCartsProjection],
  routes: (deps) => [
    ...agentOrdersRoutes(deps),
    ...ucpTestOrdersRoutes(deps),
    ...activityRoutes(deps),
    ...signingKeyRoutes(deps),
  ],
};
