import type { Recorded } from '#kernel/event.ts';
import { remove, type Document, type Projection } from '#kernel/projection.ts';
import type { AgentOrderDocument } from './agent-order.document.ts';
import { agentOrderFold } from './agent-order.fold.ts';
import { agentSessionFold, type AgentSessionDocument } from './agent-session.fold.ts';

type Fold<Doc extends Document> = Projection<Doc>['on'];

const folded = <Doc extends Document>(
  on: Fold<Doc>,
  events: readonly Recorded[],
  key: string,
): Doc | null => {
  let document: Doc | null = null;
  for (const event of events) {
    const after: Doc | typeof remove | null = on[event.type]?.(document, event, key) ?? document;
    document = after === remove ? null : after;
  }
  return document;
};

/** The order of an invoice as its events tell it, oldest first; null: it is none of an agent, or deleted. */
export const foldOrder = (events: readonly Recorded[], invoiceId: string): AgentOrderDocument | null =>
  folded(agentOrderFold as Fold<AgentOrderDocument>, events, invoiceId);

/** The same of a session. */
export const foldSession = (events: readonly Recorded[], sessionId: string): AgentSessionDocument | null =>
  folded(agentSessionFold as Fold<AgentSessionDocument>, events, sessionId);
