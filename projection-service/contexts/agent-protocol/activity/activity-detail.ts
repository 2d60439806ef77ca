import { actorName, type Recorded } from '#kernel/event.ts';
import type { Document } from '#kernel/projection.ts';
import { streamPages } from '#log/stream-history.ts';
import type { ProjectionDeps } from '../../../engine/service-deps.ts';
import { orderListProjection } from '../../orders/order-list.projection.ts';

/** What an agent asks for, as its events name it. */
const asked = [
  'lines',
  'buyer',
  'consent',
  'codes',
  'destinations',
  'fulfilment',
  'instruments',
  'context',
  'attribution',
  'currency',
  'mandate',
] as const;

type Body = Readonly<Record<string, unknown>>;

/** As it stands: each event says the whole of what it changes. */
const bodyAfter = (before: Body, events: readonly Recorded[]): Body => {
  const body = { ...before };
  for (const { data } of events) {
    const said = data as Body;
    for (const name of asked) if (name in said) body[name] = said[name];
  }
  return body;
};

/** An agent may change what it asks for as often as it likes: only so many of the last events are listed. */
const MOST_LISTED = 200;

const happened = async (deps: Pick<ProjectionDeps, 'store' | 'decoder'>, stream: string) => {
  let body: Body = {};
  let last: readonly Recorded[] = [];
  for await (const events of streamPages(deps, stream)) {
    body = bodyAfter(body, events);
    last = [...last, ...events].slice(-MOST_LISTED);
  }
  const timeline = last.map(({ recordedAt: date, type: event, metadata }) => ({
    ...{ date, event },
    by: actorName(metadata.actor),
  }));
  return { body, timeline };
};

/** What is shown of the list of orders. */
interface ListedOrder extends Document {
  readonly invoiceNumber: string;
  readonly balance: { readonly paymentStatus: string };
  readonly fulfillmentStatus: string;
}

const invoiceOf = async ({ reader }: Pick<ProjectionDeps, 'reader'>, invoiceId: string | null) => {
  const order =
    invoiceId === null ? null : await reader.get<ListedOrder>(orderListProjection.name, invoiceId);
  return (
    order && {
      invoiceId: order._id,
      invoiceNumber: order.invoiceNumber,
      paymentStatus: order.balance.paymentStatus,
      fulfillmentStatus: order.fulfillmentStatus,
    }
  );
};

/**
 * A session or cart of an agent in full, from its own stream: no view holds anything of its buyer, and what is
 * forgotten is null here at once.
 */
export const activityDetail = async (
  deps: Pick<ProjectionDeps, 'reader' | 'store' | 'decoder'>,
  stream: string,
  invoiceId: string | null,
) => ({ ...(await happened(deps, stream)), invoice: await invoiceOf(deps, invoiceId) });
