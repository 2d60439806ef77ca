import type { ShopStream } from '#command/engine/streams.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import { businessDay } from '#values/business-day.ts';
import type { InvoiceState } from '../invoice.state.ts';
import type { ShipmentCommand } from './shipment.commands.ts';
import type { ShipmentContext } from './shipment-rules.ts';
import { shipmentDecider } from './shipment.decider.ts';

/** The shipments of an invoice, in its stream. */
export const shipmentStream: ShopStream<InvoiceState, ShipmentCommand, InvoiceEvent, ShipmentContext> = {
  decider: shipmentDecider,
  context:
    ({ clock, settings }) =>
    () => {
      const now = clock.now();
      return { now: isoInstant(now), today: businessDay(now, settings().reportingTimeZone) };
    },
};
