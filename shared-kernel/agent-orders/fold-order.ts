import type { AgentSessionEvent } from '#events/agent-session.events.ts';
import type { EventOfType, Recorded } from '#kernel/event.ts';
import { remove, type Document, type Projection } from '#kernel/projection.ts';
import type { AgentOrderDocument } from './agent-order.document.ts';
import { agentOrderFold } from './agent-order.fold.ts';
import { agentSessionFold, type AgentSessionDocument } from './agent-session.fold.ts';
import type { PlacedOrder } from './order-owner.ts';

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

/**
 * The order of an invoice as its events and those of its amendments tell it, in the order of the log: what the invoice
 * has forgotten since is gone from both. Null: it is none of an agent, or deleted.
 */
export const foldOrder = (events: readonly Recorded[], invoiceId: string): AgentOrderDocument | null => {
  const told = events.toSorted((one, other) => one.position - other.position);
  return folded(agentOrderFold as Fold<AgentOrderDocument>, told, invoiceId);
};

/** A session as its events tell it, oldest first. */
export const foldSession = (events: readonly Recorded[], sessionId: string): AgentSessionDocument | null =>
  folded(agentSessionFold as Fold<AgentSessionDocument>, events, sessionId);

type ContextGiven = EventOfType<AgentSessionEvent, 'AgentSessionContextGiven'>;

const givesContext = (event: Recorded): event is Recorded<ContextGiven> =>
  event.type === 'AgentSessionContextGiven';

/** What led the buyer here, as the events of a session say: no view keeps it, so that it can be forgotten. */
export const attributionOf = (events: readonly Recorded[]): PlacedOrder['attribution'] =>
  events.findLast(givesContext)?.data.attribution ?? null;
