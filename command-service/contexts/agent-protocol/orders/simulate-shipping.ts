import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { ModuleDeps } from '#command/engine/module.ts';
import { isShippable } from '#events/shipment-view.ts';
import { isGuid } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { OrderStatus } from '#events/invoice.fields.ts';
import { isKnown } from '../../invoices/invoice.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';

type Deps = Pick<ModuleDeps, 'streams' | 'apis'>;

const gone: ReadonlySet<OrderStatus | undefined> = new Set(['Shipped', 'Completed', 'Cancelled']);

/** Sends everything that is left of an agent's order, as staff would. Errors: `not_found`, and those of `moveOrder`. */
export const createSimulateShipping =
  ({ streams, apis }: Deps) =>
  async (invoiceId: string, meta: CommandMeta): Promise<number> => {
    const loaded = isGuid(invoiceId) ? await streams.load(invoiceStream, invoiceId) : null;
    const invoice = loaded?.state;
    if (
      !invoice ||
      !isKnown(invoice) ||
      invoice.status === 'deleted' ||
      invoice.content.source.type !== 'ucp'
    )
      throw new Rejection('not_found', 'This order was not found.');
    let position = 0;
    for (const { orderId, lines } of invoice.content.orders) {
      if (gone.has(invoice.orderStatuses[orderId]) || !lines.some(isShippable)) continue;
      const trackingNumber = `SIM-${orderId.slice(0, 8)}`;
      const order = { orderId, status: 'Shipped', carrier: 'Simulated carrier', trackingNumber } as const;
      ({ position } = await apis.orders.moveOrder(order, meta));
    }
    return position;
  };
