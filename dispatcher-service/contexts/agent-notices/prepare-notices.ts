import type { AgentOrderDocument } from '#agent-orders/agent-order.document.ts';
import { attributionOf, foldSession, orderAfter, webhooksOf } from '#agent-orders/fold-order.ts';
import type { PlacedOrder } from '#agent-orders/order-owner.ts';
import { shownOrder, type OrderSurroundings } from '#agent-orders/shown-order.ts';
import type { DialectName } from '#agents/agent-request.ts';
import { rememberedDialect, versionOf } from '#agents/dialect-choice.ts';
import { orderForms } from '#agents/forms/order-forms.ts';
import type { Clock } from '#kernel/clock.ts';
import type { PersonalTexts, SealText } from '#log/personal-texts.ts';
import type { BusMessage } from '#ports/bus.ts';
import type { Write } from '#ports/document-store.ts';
import { agentNoticesCollection as collection, newNotice, type QueuedNotice } from '#topics/agent-notice.ts';
import type { Outgoing } from '../../engine/outgoing-batch.ts';
import { noticeBody } from './notice-body.ts';
import { noticeOf } from './order-notices.ts';
import type { Candidate } from './queue-notices.ts';
import type { createSaleHistory, SaleHistory } from './sale-history.ts';

/** How orders are shown, beside what the log says of them. */
export interface ShownWith extends Pick<OrderSurroundings, 'imageOf'> {
  /** The shop's own version of the protocol. */
  readonly ownVersion: string;
  readonly schemaBaseUrl: string;
  readonly orderLinkOf: (invoiceId: string) => string;
}

export interface PrepareNoticesDeps {
  readonly historyOf: ReturnType<typeof createSaleHistory>;
  readonly personalTexts: Pick<PersonalTexts, 'sealers'>;
  readonly clock: Clock;
  readonly shownWith: () => ShownWith;
}

const withoutBuyer = (placed: PlacedOrder): PlacedOrder => ({
  ...placed,
  order: { ...placed.order, shippingAddress: null },
  attribution: null,
});

/**
 * The notices of some events of a sale, each with the order as its event left it. `isForgotten`: the buyer was so after
 * the events were read.
 */
export const noticesOfSale = (
  { invoiceId, sessionId, order: events, session: asked, subject }: SaleHistory,
  candidates: readonly Candidate[],
  { ownVersion, schemaBaseUrl, orderLinkOf, imageOf }: ShownWith,
  isForgotten: boolean,
): readonly QueuedNotice[] => {
  const { orderWebhookUrl: targetUrl } = webhooksOf(asked);
  const session = foldSession(asked, sessionId);
  if (!session || targetUrl === null) return [];
  const about = new Set(candidates.map(({ position }) => position));
  const attribution = attributionOf(asked);
  const dialect = rememberedDialect(ownVersion, session.dialect as DialectName);
  const context = { version: versionOf(ownVersion, dialect), schemaBaseUrl };
  let order: AgentOrderDocument | null = null;
  return events.flatMap((event) => {
    order = orderAfter(order, event, invoiceId);
    const eventType = order && about.has(event.position) ? noticeOf(event, order) : null;
    if (!order || !eventType) return [];
    const placed = { order, session, attribution };
    const shown = shownOrder(isForgotten ? withoutBuyer(placed) : placed, {
      permalinkUrl: orderLinkOf(invoiceId),
      imageOf,
    });
    const { id: _id, position, recordedAt: occurredAt } = event;
    const told = { _id, eventType, occurredAt };
    return {
      ...{ ...told, position, invoiceId, sessionId, dialect, targetUrl },
      agent: session.agent,
      subject: isForgotten ? null : subject,
      requestBody: noticeBody(told, dialect, orderForms[dialect](shown, context)),
    };
  });
};

const candidatesIn = ({ writes }: Outgoing): readonly Candidate[] =>
  writes.flatMap((write) => ('put' in write ? [write.put as Candidate] : []));

/** Turns events into notices; leaves out those that no agent is told of. */
export const createPrepareNotices = ({ historyOf, personalTexts, clock, shownWith }: PrepareNoticesDeps) => {
  const historiesOf = async (candidates: readonly Candidate[]) => {
    const bySale = [...Map.groupBy(candidates, ({ invoiceId }) => invoiceId)];
    const all = await Promise.all(
      bySale.map(async ([invoiceId, told]) => {
        const history = await historyOf(invoiceId, told.at(-1)?.position ?? 0);
        return history && { history, told };
      }),
    );
    return all.filter((one) => one !== null);
  };

  const written = (
    { history, told }: { readonly history: SaleHistory; readonly told: readonly Candidate[] },
    seal: SealText | undefined,
  ): readonly QueuedNotice[] =>
    noticesOfSale(history, told, shownWith(), !seal).map((notice) => ({
      ...notice,
      requestBody: seal?.(notice.requestBody) ?? notice.requestBody,
    }));

  return async (outgoing: Outgoing): Promise<Outgoing> => {
    const candidates = candidatesIn(outgoing);
    if (candidates.length === 0) return outgoing;
    const sales = await historiesOf(candidates);
    const subjects = new Set(sales.flatMap(({ history: { subject } }) => subject ?? []));
    const sealers = await personalTexts.sealers(subjects);
    const now = clock.now();
    const notices = sales
      .flatMap((sale) => written(sale, sealers.get(sale.history.subject ?? '')))
      .toSorted((one, other) => one.position - other.position)
      .map((notice) => newNotice(notice, now));
    const writes = notices.map((put): Write => ({ collection, put, position: put.position }));
    const messages = notices.flatMap(({ _id: value, queue }): BusMessage[] =>
      queue === null ? [] : [{ key: queue, value }],
    );
    return { writes, messages };
  };
};
