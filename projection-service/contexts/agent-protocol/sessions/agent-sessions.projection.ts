import { agentSessionFold, type AgentSessionDocument } from '#agent-orders/agent-session.fold.ts';
import type { AgentSessionEvent } from '#events/agent-session.events.ts';
import { projection } from '#kernel/projection.ts';
import { idOf, streamOf } from '#values/stream-name.ts';
import { activityIndexes } from '../activity/activity-list.ts';

/** Checkout sessions of agents, one document each (docs/rules/agent-sessions.md). */
export const agentSessionsProjection = projection<AgentSessionEvent>()<AgentSessionDocument>({
  name: 'agentSessions',
  version: 1,
  indexes: activityIndexes,
  keys: ({ stream }) => [idOf(stream)],
  streamOf: streamOf.agentSession,
  // An order is shown with its session: what was bought stays.
  lapsing: {
    changedAt: ({ status, updatedAt }) => (status === 'active' || status === 'completed' ? null : updatedAt),
  },
  on: agentSessionFold,
});
