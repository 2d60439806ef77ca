import type { AgentOrderDocument } from '#agent-orders/agent-order.document.ts';
import type { AgentSessionDocument } from '#agent-orders/agent-session.fold.ts';
import { attributionOf } from '#agent-orders/fold-order.ts';
import { productPictures } from '#agent-orders/product-pictures.ts';
import { isOrderOf, isOrderOfMember, type PlacedOrder } from '#agent-orders/order-owner.ts';
import { shownOrder } from '#agent-orders/shown-order.ts';
import type { AgentRequest, DialectName } from '#agents/agent-request.ts';
import type { ProtocolAnswer, ProtocolRequestFor } from '#agents/commerce-protocol.ts';
import { dialectFor } from '#agents/dialect-choice.ts';
import type { ProtocolError } from '#agents/protocol-error.ts';
import type { ProtocolOrder } from '#agents/protocol-order.ts';
import { isGuid } from '#kernel/ids.ts';
import { streamHistory } from '#log/stream-history.ts';
import { ownerOf } from '#runtime/members.ts';
import { streamOf } from '#values/stream-name.ts';
import type { ProjectionDeps } from '../../../engine/service-deps.ts';
import { customerListProjection, type CustomerDocument } from '../../customers/customer-list.projection.ts';
import { agentSessionsProjection } from '../sessions/agent-sessions.projection.ts';
import { agentOrdersProjection } from './agent-orders.projection.ts';

type Sources = Pick<
  ProjectionDeps,
  'reader' | 'store' | 'decoder' | 'stateStore' | 'waitForPosition' | 'orderLinkOf' | 'reference' | 'settings'
>;

const notFound: ProtocolError = { code: 'not_found', text: 'This order was not found.' };

const behind: ProtocolError = {
  code: 'service_unavailable',
  text: 'The order is being brought up to date. Please try again shortly.',
  retryAfterSeconds: 1,
};

/** What an order is shown from. */
export const orderViews = [agentOrdersProjection, agentSessionsProjection];

/**
 * Agents bring no position along: their order is shown as the log had it when they asked, or not at all
 * (docs/rules/agent-orders.md#reading).
 */
const isUpToDate = async ({ store, waitForPosition }: Sources): Promise<boolean> => {
  const head = await store.head();
  const lags = await Promise.all(orderViews.map(({ name }) => waitForPosition(name, head)));
  return lags.every((lag) => lag === null);
};

const find = async (sources: Sources, id: string): Promise<PlacedOrder | null> => {
  const { reader } = sources;
  const order = await reader.get<AgentOrderDocument>(agentOrdersProjection.name, id);
  const sessionId = order?.sessionId ?? null;
  if (!order || sessionId === null) return null;
  const session = await reader.get<AgentSessionDocument>(agentSessionsProjection.name, sessionId);
  if (!session) return null;
  const asked = await streamHistory(sources, streamOf.agentSession(sessionId));
  return { order, session, attribution: attributionOf(asked) };
};

/** The agent's own order, or one of the member whose token it sends. */
const mayBeShown = async (
  { reader, stateStore }: Sources,
  found: PlacedOrder,
  { identity, member }: AgentRequest,
): Promise<boolean> => {
  if (identity !== null && isOrderOf(found, identity)) return true;
  if (member === null) return false;
  const customer = (id: string) => reader.get<CustomerDocument>(customerListProjection.name, id);
  const owner = await ownerOf(stateStore, customer, member.memberId);
  return owner !== null && isOrderOfMember(found, owner);
};

export const createGetOrder =
  (sources: Sources) =>
  async ({ agent, id, baseUrl }: ProtocolRequestFor): Promise<ProtocolAnswer<ProtocolOrder>> => {
    const { dialect } = agent;
    if (!isGuid(id)) return { dialect, error: notFound };
    if (!(await isUpToDate(sources))) return { dialect, error: behind };
    const found = await find(sources, id);
    if (!found || !(await mayBeShown(sources, found, agent))) return { dialect, error: notFound };
    return {
      httpStatus: 200,
      dialect: dialectFor(agent, found.session.dialect as DialectName),
      result: shownOrder(found, {
        permalinkUrl: sources.orderLinkOf(id, baseUrl),
        imageOf: productPictures(sources.reference, sources.settings().websiteUrl ?? baseUrl),
      }),
    };
  };
