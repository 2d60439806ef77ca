import type { AgentSessionEvent, AgentWebhooks } from '#events/agent-session.events.ts';
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
  from: Doc | null = null,
): Doc | null => {
  let document = from;
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

/** An order after one more event; null: it does not exist yet, or was deleted. */
export const orderAfter = (
  order: AgentOrderDocument | null,
  event: Recorded,
  invoiceId: string,
): AgentOrderDocument | null => folded(agentOrderFold as Fold<AgentOrderDocument>, [event], invoiceId, order);

/** A session as its events tell it, oldest first. */
export const foldSession = (events: readonly Recorded[], sessionId: string): AgentSessionDocument | null =>
  folded(agentSessionFold as Fold<AgentSessionDocument>, events, sessionId);

type ContextGiven = EventOfType<AgentSessionEvent, 'AgentSessionContextGiven'>;

const givesContext = (event: Recorded): event is Recorded<ContextGiven> =>
  event.type === 'AgentSessionContextGiven';

type WebhooksNamed = EventOfType<AgentSessionEvent, 'AgentSessionStarted' | 'AgentSessionCompletionStarted'>;

const namesWebhooks = (event: Recorded): event is Recorded<WebhooksNamed> =>
  event.type === 'AgentSessionStarted' || event.type === 'AgentSessionCompletionStarted';

const namedIn = ({ type, data }: WebhooksNamed): AgentWebhooks | undefined =>
  type === 'AgentSessionStarted' ? data : data.webhooks;

/** Where a session's agent wants to be told, by the last event that says so. */
export const webhooksOf = (events: readonly Recorded[]): AgentWebhooks => {
  const named = events.findLast((event) => namesWebhooks(event) && namedIn(event) !== undefined);
  const { orderWebhookUrl = null, sessionWebhookUrl = null } =
    (named && namesWebhooks(named) && namedIn(named)) || {};
  return { orderWebhookUrl, sessionWebhookUrl };
};

/** What led the buyer here, as the events of a session say: no view keeps it, so that it can be forgotten. */
export const attributionOf = (events: readonly Recorded[]): PlacedOrder['attribution'] =>
  events.findLast(givesContext)?.data.attribution ?? null;
