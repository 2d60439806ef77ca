import { orderForms } from '#agents/forms/order-forms.ts';
import { agentSessionEvents, type AgentLine } from '#events/agent-session.events.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import type { InvoiceContent } from '#events/invoice.fields.ts';
import type { DomainEvent } from '#kernel/event.ts';
import type { AgentOrderDocument } from '#agent-orders/agent-order.document.ts';
import { agentOrdersProjection } from '#projection/contexts/agent-protocol/orders/agent-orders.projection.ts';
import { shownOrder } from '#agent-orders/shown-order.ts';
import { agentSessionsProjection } from '#projection/contexts/agent-protocol/sessions/agent-sessions.projection.ts';
import { streamOf } from '#values/stream-name.ts';
import { orderProblems } from '../agents/checkout-problems.ts';
import { givenStream } from '../given.ts';
import { agentLine, minutesLater } from './agent-session.ts';
import { idNamed } from './basket.ts';
import { invoice } from './invoice.ts';

const { AgentSessionStarted } = agentSessionEvents.create;
const { ShipmentChanged, ShipmentCreated, ShipmentStatusChanged } = invoiceEvents.create;

export const buyingAgent = 'https://agent.example/profile';
const sessionId = idNamed('session');

/** Where a sale by an agent came from. */
export const agentSource: InvoiceContent['source'] = {
  type: 'ucp',
  displayName: 'Agent',
  sourceName: 'UCP',
  sourceId: buyingAgent,
  sessionId,
};

export const startedSession = (lines: readonly AgentLine[]) =>
  AgentSessionStarted({
    basketId: idNamed('basket'),
    cartId: null,
    agent: buyingAgent,
    isVerified: false,
    dialect: '2026-04-08',
    hasManyGroups: false,
    agentName: null,
    capabilities: [],
    currency: 'GBP',
    orderWebhookUrl: null,
    sessionWebhookUrl: null,
    lines: [...lines],
    startedAt: minutesLater(0),
    expiresAt: minutesLater(360),
  });

/** The session of these lines, as its view has it. */
export const sessionOf = (lines: readonly AgentLine[], ...later: readonly DomainEvent[]) => {
  const { document } = givenStream(streamOf.agentSession(sessionId), startedSession(lines), ...later).project(
    agentSessionsProjection,
  );
  if (!document) throw new Error('a session that was started has a document');
  return document;
};

/** The body of an order in a dialect. Throws where it breaks the protocol's rules. */
export const orderBody = (
  document: AgentOrderDocument,
  lines: readonly AgentLine[],
  version: '2026-04-08' | '2026-01-11' = '2026-04-08',
) => {
  const placed = { order: document, session: sessionOf(lines), attribution: { campaign: 'spring' } };
  const order = shownOrder(placed, {
    permalinkUrl: 'https://shop.example/order/1?key=k',
    imageOf: (productId) => (productId === idNamed('mug') ? 'https://shop.example/mug.png' : null),
  });
  const body = orderForms[version](order, { version, schemaBaseUrl: 'https://schemas.example' });
  const problems = orderProblems(JSON.parse(JSON.stringify(body)));
  if (problems.length > 0) throw new Error(`${version}: ${problems.join('; ')}`);
  return body as unknown as OrderBody;
};

export interface OrderBody {
  readonly line_items: readonly {
    readonly id: string;
    readonly item: { readonly id: string; readonly price: number };
    readonly quantity: Readonly<Record<'original' | 'total' | 'fulfilled', number>>;
    readonly totals: readonly unknown[];
    readonly status: string;
  }[];
  readonly fulfillment: {
    readonly expectations: readonly Readonly<Record<string, unknown>>[];
    readonly events: readonly Readonly<Record<string, unknown>>[];
  };
  readonly adjustments: readonly Readonly<Record<string, unknown>>[];
  readonly totals: readonly unknown[];
}

/** An order by an agent; by default of two mugs, each of which is a line of its own session. */
export const agentOrder = (
  content: Partial<InvoiceContent> = {},
  lines: readonly AgentLine[] = [agentLine('mug', 1, 'first'), agentLine('mug', 1, 'second')],
) => {
  const sale = invoice('by an agent', { content: { source: agentSource, ...content } });
  const seenAfter = (...events: readonly DomainEvent[]) =>
    givenStream(sale.stream, ...sale.sold(), ...events).project(agentOrdersProjection);
  const after = (...events: readonly DomainEvent[]): AgentOrderDocument => {
    const { document } = seenAfter(...events);
    if (!document) throw new Error('an order of an agent has a document');
    return document;
  };
  return {
    ...sale,
    lines,
    seenAfter,
    after,
    bodyAfter: (...events: readonly DomainEvent[]) => orderBody(after(...events), lines),
    olderBodyAfter: (...events: readonly DomainEvent[]) => orderBody(after(...events), lines, '2026-01-11'),
  };
};

const untracked = { carrier: null, trackingNumber: null, trackingUrl: null };
const tracking = { carrier: 'Post', trackingNumber: 'T1', trackingUrl: 'https://post.example/T1' };

/** What happens to a parcel of an order. */
export const parcel = (name: string, quantity: number, order = 'order') => {
  const named = { shipmentId: idNamed(name), orderId: idNamed(order) };
  const moved = (from: 'Preparing' | 'Shipped', to: 'Shipped' | 'Delivered' | 'Cancelled') =>
    ShipmentStatusChanged({
      ...named,
      ...{ from, to },
      ...(to === 'Cancelled' ? untracked : tracking),
      createdAt: '2026-03-02T09:00:00.000Z',
      at: '2026-03-02T12:00:00.000Z',
      day: '2026-03-02',
    });
  return {
    packed: ShipmentCreated({
      ...named,
      warehouseId: idNamed('east'),
      lines: [{ lineId: idNamed(`line ${order}`), quantity }],
      ...untracked,
      providerShipmentId: null,
      by: 'mary',
      createdAt: '2026-03-02T09:00:00.000Z',
    }),
    sent: moved('Preparing', 'Shipped'),
    delivered: moved('Shipped', 'Delivered'),
    calledOff: moved('Shipped', 'Cancelled'),
    renumbered: ShipmentChanged({
      ...named,
      ...tracking,
      trackingNumber: 'T2',
      actualDeliveryDate: null,
      status: 'Shipped',
      createdAt: '2026-03-02T09:00:00.000Z',
      changedAt: '2026-03-02T13:00:00.000Z',
    }),
  };
};
