import type { ShopStream } from '#command/engine/streams.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import { businessDay } from '#values/business-day.ts';
import type { InvoiceState } from '../invoice.state.ts';
import type { DisputeCommand } from './dispute.commands.ts';
import { disputeDecider, type DisputeContext } from './dispute.decider.ts';

/** What providers tell of an invoice beside its money, in the same stream. */
export const disputeStream: ShopStream<InvoiceState, DisputeCommand, InvoiceEvent, DisputeContext> = {
  decider: disputeDecider,
  context:
    ({ clock, settings }) =>
    () => {
      const now = clock.now();
      return { now: isoInstant(now), today: businessDay(now, settings().reportingTimeZone) };
    },
};
