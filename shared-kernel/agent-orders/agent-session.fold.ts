import type { AgentLine, AgentSessionEvent } from '#events/agent-session.events.ts';
import { defined } from '#kernel/defined.ts';
import type { Document, Projection } from '#kernel/projection.ts';
import { searchTextOf } from '#values/search.ts';

/** The life of a session (docs/rules/agent-sessions.md#states). */
export type SessionLife = 'active' | 'completed' | 'cancelled' | 'expired';

/** A session of an agent: whose it is, what was asked for, what came of it. Nothing of the buyer. */
export interface AgentSessionDocument extends Document {
  readonly agent: string;
  readonly agentName: string | null;
  readonly isVerified: boolean;
  readonly dialect: string;
  /** Where it is not called as the dialect is. */
  readonly version?: string;
  readonly basketId: string;
  readonly cartId: string | null;
  readonly lines: readonly AgentLine[];
  readonly status: SessionLife;
  readonly startedAt: string;
  readonly updatedAt: string;
  readonly expiresAt: string;
  readonly invoiceId: string | null;
  readonly invoiceNumber: string | null;
  /** Its id, its agent with its name, and the number of its invoice in lower case. */
  readonly searchText: string;
}

const withSearch = (document: Omit<AgentSessionDocument, 'searchText'>): AgentSessionDocument => ({
  ...document,
  searchText: searchTextOf([document._id, document.agent, document.agentName, document.invoiceNumber]),
});

const ended =
  (status: SessionLife, updatedAt: string) =>
  (document: AgentSessionDocument | null): AgentSessionDocument | null =>
    document && { ...document, status, updatedAt };

/** What events make of a checkout session of an agent. */
export const agentSessionFold: Projection<AgentSessionDocument, AgentSessionEvent>['on'] = {
  AgentSessionStarted: (_, { data }, key) => {
    const { agent, agentName, isVerified, dialect, version } = data;
    const { basketId, cartId, lines, startedAt, expiresAt } = data;
    return withSearch({
      _id: key,
      ...{ agent, agentName, isVerified, dialect, ...defined({ version }) },
      ...{ basketId, cartId, lines, startedAt, expiresAt },
      updatedAt: startedAt,
      status: 'active',
      invoiceId: null,
      invoiceNumber: null,
    });
  },
  AgentSessionLinesChanged: (document, { data: { lines } }) => document && { ...document, lines },
  AgentSessionExtended: (document, { data: { updatedAt, expiresAt } }) =>
    document && { ...document, updatedAt, expiresAt },
  AgentSessionCompletionStarted: (document, { data: { startedAt: updatedAt } }) =>
    document && { ...document, updatedAt },
  AgentSessionPaymentAwaited: (document, { data: { awaitedAt: updatedAt } }) =>
    document && { ...document, updatedAt },
  AgentSessionCompletionFailed: (document, { data: { failedAt: updatedAt, expiresAt } }) =>
    document && { ...document, updatedAt, expiresAt },
  AgentSessionCompleted: (document, { data: { invoiceId, invoiceNumber, completedAt } }) =>
    document &&
    withSearch({
      ...document,
      ...{ status: 'completed', updatedAt: completedAt, invoiceId, invoiceNumber },
    }),
  AgentSessionCancelled: (document, { data }) => ended('cancelled', data.cancelledAt)(document),
  AgentSessionExpired: (document, { data }) => ended('expired', data.expiredAt)(document),
};
