import type { AgentCartEvent } from '#events/agent-cart.events.ts';
import type { AgentLine } from '#events/agent-session.events.ts';
import { type Document, projection } from '#kernel/projection.ts';
import { searchTextOf } from '#values/search.ts';
import { idOf, streamOf } from '#values/stream-name.ts';
import { activityIndexes } from '../activity/activity-list.ts';

type CartLife = 'active' | 'converted' | 'completed' | 'cancelled' | 'expired';

/** A cart of an agent: whose it is, what is in it, what came of it. Nothing of the buyer. */
export interface AgentCartDocument extends Document {
  readonly agent: string;
  readonly agentName: string | null;
  readonly isVerified: boolean;
  readonly dialect: string;
  readonly basketId: string;
  readonly lines: readonly AgentLine[];
  readonly status: CartLife;
  /** The checkout that was begun with it last. */
  readonly sessionId: string | null;
  readonly invoiceId: string | null;
  readonly startedAt: string;
  readonly updatedAt: string;
  readonly expiresAt: string;
  /** Its id and its agent with its name in lower case. */
  readonly searchText: string;
}

type Known = AgentCartDocument | null;

const changed = (document: Known, changes: Partial<AgentCartDocument>): Known =>
  document && { ...document, ...changes };

/** Carts of agents, one document each (docs/rules/agent-carts.md). */
export const agentCartsProjection = projection<AgentCartEvent>()<AgentCartDocument>({
  name: 'agentCarts',
  version: 1,
  indexes: activityIndexes,
  keys: ({ stream }) => [idOf(stream)],
  streamOf: streamOf.agentCart,
  lapsing: {
    changedAt: ({ status, updatedAt }) => (status === 'active' || status === 'converted' ? null : updatedAt),
  },
  on: {
    AgentCartStarted: (_, { data }, key) => {
      const { agent, agentName, isVerified, dialect, basketId, lines, startedAt, expiresAt } = data;
      return {
        _id: key,
        ...{ agent, agentName, isVerified, dialect, basketId, lines, startedAt, expiresAt },
        ...{ status: 'active', sessionId: null, invoiceId: null, updatedAt: startedAt },
        searchText: searchTextOf([key, agent, agentName]),
      };
    },
    AgentCartLinesChanged: (document, { data: { lines } }) => changed(document, { lines }),
    AgentCartExtended: (document, { data: { updatedAt, expiresAt } }) =>
      changed(document, { updatedAt, expiresAt }),
    AgentCartCheckoutStarted: (document, { data: { sessionId, startedAt: updatedAt } }) =>
      changed(document, { sessionId, updatedAt }),
    AgentCartConverted: (document, { data: { sessionId, convertedAt: updatedAt } }) =>
      changed(document, { status: 'converted', sessionId, updatedAt }),
    AgentCartReopened: (document, { data: { reopenedAt: updatedAt, expiresAt } }) =>
      changed(document, { status: 'active', updatedAt, expiresAt }),
    AgentCartCompleted: (document, { data: { invoiceId, completedAt: updatedAt } }) =>
      changed(document, { status: 'completed', invoiceId, updatedAt }),
    AgentCartCancelled: (document, { data: { cancelledAt: updatedAt } }) =>
      changed(document, { status: 'cancelled', updatedAt }),
    AgentCartExpired: (document, { data: { expiredAt: updatedAt } }) =>
      changed(document, { status: 'expired', updatedAt }),
  },
});
