import { attributionOf, foldOrder, foldSession } from '#agent-orders/fold-order.ts';
import { productPictures } from '#agent-orders/product-pictures.ts';
import { isOrderOf, type PlacedOrder } from '#agent-orders/order-owner.ts';
import { shownOrder } from '#agent-orders/shown-order.ts';
import type { DialectName } from '#agents/agent-request.ts';
import type { ProtocolAnswer, ProtocolRequestFor } from '#agents/commerce-protocol.ts';
import { dialectFor } from '#agents/dialect-choice.ts';
import type { Adjustment, FulfilmentEvent, ProtocolOrder } from '#agents/protocol-order.ts';
import { storefrontUrl } from '#agents/storefront-url.ts';
import type { ModuleDeps } from '#command/engine/module.ts';
import type { AmendedAdjustment, AmendedEvent } from '#events/agent-order.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import { defined } from '#kernel/defined.ts';
import { isGuid } from '#kernel/ids.ts';
import { isSameJson } from '#kernel/same-json.ts';
import { streamHistory } from '#log/stream-history.ts';
import { createOrderLinks } from '#runtime/order-links.ts';
import { streamOf } from '#values/stream-name.ts';
import { agentOrders } from './agent-order.stream.ts';

type Deps = Pick<ModuleDeps, 'store' | 'decoder' | 'streams' | 'clock' | 'keys' | 'settings' | 'reference'>;

interface Amendments {
  readonly events: readonly AmendedEvent[];
  readonly adjustments: readonly AmendedAdjustment[];
}

/** As the log has it, whatever the views have taken. */
const placedOrder = async (deps: Deps, id: string): Promise<PlacedOrder | null> => {
  if (!isGuid(id)) return null;
  const [invoice, amended] = await Promise.all(
    [streamOf.invoice(id), streamOf.agentOrder(id)].map((stream) => streamHistory(deps, stream)),
  );
  const order = foldOrder([...(invoice ?? []), ...(amended ?? [])], id);
  if (!order?.sessionId) return null;
  const { sessionId } = order;
  const asked = await streamHistory(deps, streamOf.agentSession(sessionId));
  const session = foldSession(asked, sessionId);
  return session && { order, session, attribution: attributionOf(asked) };
};

type Said = AmendedEvent | AmendedAdjustment | FulfilmentEvent | Adjustment;

/** Whatever form it stands in: each dialect has its own, and a sign of its own. */
const comparable = (said: Said): unknown => {
  const { amount: signed, further = {}, ...rest } = { amount: null, ...said };
  const { amount, totals, ...others } = further as {
    readonly amount?: unknown;
    readonly totals?: readonly { readonly type: string; readonly amount: number }[];
  };
  const total = signed ?? totals?.find(({ type }) => type === 'total')?.amount ?? amount ?? 0;
  return { ...rest, money: Math.abs(Number(total)), others };
};

/** An order that is sent back as it was shown says nothing new. */
const newAmong = <One extends Said>(amended: readonly One[], shown: readonly Said[]): readonly One[] => {
  const known = new Map(shown.map((one) => [one.id, comparable(one)]));
  return amended.filter((one) => !isSameJson(known.get(one.id), comparable(one)));
};

/** Takes over what a test says has become of an order (docs/rules/agent-orders.md#test-endpoints). */
export const createAmendOrder = (deps: Deps) => {
  const links = createOrderLinks(deps.keys.applicationKey);
  const shown = (placed: PlacedOrder, baseUrl: string): ProtocolOrder => {
    const { websiteUrl } = deps.settings();
    return shownOrder(placed, {
      permalinkUrl: links.linkTo(placed.order._id, storefrontUrl(websiteUrl, baseUrl)),
      imageOf: productPictures(deps.reference, websiteUrl ?? baseUrl),
    });
  };

  return async (request: ProtocolRequestFor<Amendments>): Promise<ProtocolAnswer<ProtocolOrder>> => {
    const { agent, id, body, baseUrl, actor, correlationId, commandId, bodyFingerprint } = request;
    const placed = await placedOrder(deps, id);
    if (!placed || !agent.identity || !isOrderOf(placed, agent.identity))
      return { dialect: agent.dialect, error: { code: 'not_found', text: 'This order was not found.' } };
    const before = shown(placed, baseUrl);
    const { position } = await deps.streams.send(
      agentOrders,
      id,
      {
        type: 'AmendOrder',
        events: newAmong(body.events, before.events),
        adjustments: newAmong(body.adjustments, before.adjustments),
        now: isoInstant(deps.clock.now()),
      },
      {
        ...{ correlationId, causationId: correlationId, actor },
        ...defined({ commandId, bodyFingerprint }),
      },
    );
    const after = await placedOrder(deps, id);
    return {
      httpStatus: 200,
      dialect: dialectFor(agent, placed.session.dialect as DialectName),
      result: after ? shown(after, baseUrl) : before,
      position,
    };
  };
};
