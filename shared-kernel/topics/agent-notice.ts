import { isoInstant } from '#kernel/clock.ts';
import { derivedId } from '#kernel/ids.ts';
import { unanswered, untried, type HttpDelivery } from './webhook-delivery.ts';

/** Collection of the state store. The dispatcher sends what is in it. */
export const agentNoticesCollection = 'agentNotices';

/** Wake-ups on the bus: key the queue of the notice, value its id. */
export const agentNoticesOnBus = { topic: 'agent-notices', partitions: 8 } as const;

/** What agents are told of (docs/rules/agent-notices.md#what-is-told). */
export const orderNotices = [
  'order_placed',
  'order_updated',
  'order_shipped',
  'order_delivered',
  'order_canceled',
  'order_refunded',
] as const;
export type OrderNotice = (typeof orderNotices)[number];

export const sessionNotices = ['checkout_completed', 'checkout_canceled', 'checkout_expired'] as const;
export type SessionNotice = (typeof sessionNotices)[number];

export const agentNoticeTypes = [...orderNotices, ...sessionNotices] as const;
export type AgentNoticeType = (typeof agentNoticeTypes)[number];

/** What an agent is told of one event (docs/rules/agent-notices.md). Its id is that of the event. */
export interface AgentNotice extends HttpDelivery {
  readonly eventType: AgentNoticeType;
  /** Null for a notice of a session. */
  readonly invoiceId: string | null;
  readonly sessionId: string;
  /** The order, or the session: its notices go out one after the other, in the order of `position`. */
  readonly entityId: string;
  /** Address of the agent's profile. */
  readonly agent: string;
  readonly dialect: string;
  readonly targetUrl: string;
  /** Of the event. */
  readonly position: number;
  /** When it happened. ISO instant. */
  readonly occurredAt: string;
  /** The data subject it is about; null once forgotten. */
  readonly subject: string | null;
  /** It has neither arrived nor been given up; later notices of its order wait. */
  readonly isOpen: boolean;
  /** The queue of its receiver; null while it waits for an earlier notice of its order. */
  readonly queue: string | null;
}

/** A new notice, its body sealed. */
export type QueuedNotice = Pick<
  AgentNotice,
  | '_id'
  | 'eventType'
  | 'invoiceId'
  | 'sessionId'
  | 'agent'
  | 'dialect'
  | 'targetUrl'
  | 'position'
  | 'occurredAt'
  | 'subject'
  | 'requestBody'
>;

/** Between a failed attempt and the next (docs/rules/agent-notices.md#attempts). */
export const noticeDelaysSeconds: readonly number[] = [1, 10, 60, 600, 3600, 21_600];

/** How many queues the orders of one receiver are spread over. */
const QUEUES = 8;

/** The host comes first. */
const receiverOf = (targetUrl: string): string =>
  `${URL.parse(targetUrl)?.hostname ?? ''}/${derivedId('agent notices', targetUrl)}`;

/** Notices of one order share a queue. */
export const noticeQueue = ({ targetUrl, entityId }: Pick<AgentNotice, 'targetUrl' | 'entityId'>): string =>
  `${receiverOf(targetUrl)}/${Number.parseInt(entityId.slice(-2), 16) % QUEUES}`;

export const receiverOfQueue = (queue: string): string => queue.slice(0, queue.lastIndexOf('/'));

export const queuesOfReceiver = (receiver: string): readonly string[] =>
  Array.from({ length: QUEUES }, (_, place) => `${receiver}/${place}`);

/** Empty where the address cannot be read. */
export const hostOfQueue = (queue: string): string => queue.slice(0, queue.indexOf('/'));

/** The row of a new notice, due at once. `now`: the shop's time in milliseconds. */
export const newNotice = (queued: QueuedNotice, now: number): AgentNotice => {
  const entityId = queued.invoiceId ?? queued.sessionId;
  return {
    ...queued,
    entityId,
    queue: noticeQueue({ targetUrl: queued.targetUrl, entityId }),
    isOpen: true,
    ...untried(isoInstant(now)),
    ...unanswered,
  };
};
