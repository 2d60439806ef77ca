import type { ShopStream, Sources } from '#command/engine/streams.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import { businessDay } from '#values/business-day.ts';
import type { InvoiceState } from '../invoice.state.ts';
import type { OrderDeskCommand } from './order-desk.commands.ts';
import { orderDeskDecider, type OrderDeskContext } from './order-desk.decider.ts';

export const orderDeskContext =
  ({ clock, settings }: Pick<Sources, 'clock' | 'settings'>, invoiceId: string) =>
  (): OrderDeskContext => {
    const now = clock.now();
    const today = businessDay(now, settings().reportingTimeZone);
    return { invoiceId, now: isoInstant(now), today };
  };

/** What staff do to an invoice. */
export const orderDeskStream: ShopStream<InvoiceState, OrderDeskCommand, InvoiceEvent, OrderDeskContext> = {
  decider: orderDeskDecider,
  context: (sources, _command, invoiceId) => orderDeskContext(sources, invoiceId),
  begins: ({ type }) => type === 'RequestManualOrder',
};
