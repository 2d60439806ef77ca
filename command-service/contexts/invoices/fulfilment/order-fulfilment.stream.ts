import type { ShopStream } from '#command/engine/streams.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import { businessDay } from '#values/business-day.ts';
import type { InvoiceState } from '../invoice.state.ts';
import { chosenProvider } from '#reference/chosen-provider.ts';
import type { FulfilmentCommand } from './fulfilment.commands.ts';
import { orderFulfilmentDecider, type FulfilmentContext } from './order-fulfilment.decider.ts';

/** What invoices know of those who send their orders, in their streams. */
export const orderFulfilmentStream: ShopStream<
  InvoiceState,
  FulfilmentCommand,
  InvoiceEvent,
  FulfilmentContext
> = {
  decider: orderFulfilmentDecider,
  context:
    ({ clock, settings, reference }) =>
    () => {
      const now = clock.now();
      return {
        now: isoInstant(now),
        today: businessDay(now, settings().reportingTimeZone),
        providerFor: (warehouseId, source) => chosenProvider(reference, warehouseId, source),
      };
    },
};
