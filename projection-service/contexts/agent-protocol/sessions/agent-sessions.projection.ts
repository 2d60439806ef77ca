import { agentSessionFold, type AgentSessionDocument } from '#agent-orders/agent-session.fold.ts';
import type { AgentSessionEvent } from '#events/agent-session.events.ts';
import { type IndexSpec, projection } from '#kernel/projection.ts';
import { idOf, streamOf } from '#values/stream-name.ts';

const looked = ['status', 'agent', 'searchText'];
const indexes: readonly IndexSpec[] = [
  { fields: ['startedAt'], including: looked },
  { fields: ['status', 'startedAt'], including: ['agent', 'searchText'] },
  { fields: ['agent', 'startedAt'], including: ['status', 'searchText'] },
  { fields: ['searchText'], contains: true },
];

/** Checkout sessions of agents, one document each (docs/rules/agent-sessions.md). */
export const agentSessionsProjection = projection<AgentSessionEvent>()<AgentSessionDocument>({
  name: 'agentSessions',
  version: 1,
  indexes,
  keys: ({ stream }) => [idOf(stream)],
  streamOf: streamOf.agentSession,
  lapsing: { changedAt: ({ status, updatedAt }) => (status === 'active' ? null : updatedAt) },
  on: agentSessionFold,
});
