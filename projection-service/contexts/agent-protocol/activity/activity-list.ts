import type { AgentLine } from '#events/agent-session.events.ts';
import { defined } from '#kernel/defined.ts';
import type { Document, IndexSpec } from '#kernel/projection.ts';
import type { Filter } from '#ports/document-store.ts';
import type { ListOrder } from '../../../engine/list-view.ts';

/** What a session and a cart of an agent have in common in lists. */
export interface ActivityDocument extends Document {
  readonly agent: string;
  readonly agentName: string | null;
  readonly isVerified: boolean;
  readonly dialect: string;
  readonly basketId: string;
  readonly lines: readonly AgentLine[];
  readonly startedAt: string;
  readonly updatedAt: string;
  readonly expiresAt: string;
  readonly invoiceId: string | null;
}

/** Each filter has an index, and holds the others. */
export const activityIndexes: readonly IndexSpec[] = [
  { fields: ['startedAt'], including: ['status', 'agent', 'searchText'] },
  { fields: ['status', 'startedAt'], including: ['agent', 'searchText'] },
  { fields: ['agent', 'startedAt'], including: ['status', 'searchText'] },
  { fields: ['searchText'], contains: true },
];

/** Those begun last first. */
export const newestFirst: ListOrder = { fields: {}, newest: 'startedAt' };

interface Wanted {
  readonly status?: string | undefined;
  readonly agent?: string | undefined;
  readonly search?: string | undefined;
}

export const activityFilter = ({ status, agent, search }: Wanted): Filter => ({
  ...defined({ status, agent: agent || undefined }),
  ...(search && { searchText: { contains: search.toLowerCase() } }),
});

export const activityRow = (document: ActivityDocument) => ({
  id: document._id,
  agent: document.agent,
  agentName: document.agentName,
  isVerified: document.isVerified,
  dialect: document.dialect,
  basketId: document.basketId,
  lineCount: document.lines.length,
  itemCount: document.lines.reduce((sum, { quantity }) => sum + quantity, 0),
  dateCreated: document.startedAt,
  dateUpdated: document.updatedAt,
  dateExpires: document.expiresAt,
  invoiceId: document.invoiceId,
});
