import type { Kind } from '#command/engine/streams.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import { businessDay } from '#values/business-day.ts';
import type { InvoiceState } from './invoice.state.ts';
import type { PostPurchaseCommand } from './post-purchase.commands.ts';
import { postPurchaseDecider, type PostPurchaseContext } from './post-purchase.decider.ts';

/** What is offered after a purchase. */
export const postPurchaseStream: Kind<InvoiceState, PostPurchaseCommand, InvoiceEvent, PostPurchaseContext> =
  {
    decider: postPurchaseDecider,
    context:
      ({ clock, settings }) =>
      () => {
        const now = clock.now();
        return { now: isoInstant(now), today: businessDay(now, settings().reportingTimeZone) };
      },
  };
