import { streamOf } from '#values/stream-name.ts';
import { explainedView } from '../../engine/why/explained-view.ts';
import { orderListProjection } from './order-list.projection.ts';
import type { OrderDocument } from './order.document.ts';

/** An order is made of its invoice's stream, and of what its customer's says of invoices that are owed. */
export const explainedOrder = explainedView<OrderDocument>({
  view: orderListProjection,
  mainFigure: 'totalInStoreCurrency',
  eventsOf: ({ key, document }) => {
    const customerId = document?.customerId ?? null;
    return {
      streams: [streamOf.invoice(key), ...(customerId === null ? [] : [streamOf.customer(customerId)])],
    };
  },
});
