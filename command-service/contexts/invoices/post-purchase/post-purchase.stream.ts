import type { ShopStream } from '#command/engine/streams.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import { businessDay } from '#values/business-day.ts';
import { downloadsOf, withDownloads, type DownloadsContext } from '../downloads/due-links.state.ts';
import type { InvoiceState } from '../invoice.state.ts';
import type { PostPurchaseCommand } from './post-purchase.commands.ts';
import { postPurchaseDecider, type PostPurchaseContext } from './post-purchase.decider.ts';

/** What is offered after a purchase, and added to it. */
export const postPurchaseStream: ShopStream<
  InvoiceState,
  PostPurchaseCommand,
  InvoiceEvent,
  PostPurchaseContext & DownloadsContext
> = {
  decider: withDownloads(postPurchaseDecider),
  context: (sources) => {
    const { clock, settings } = sources;
    const files = downloadsOf(sources);
    return () => {
      const now = clock.now();
      return { now: isoInstant(now), today: businessDay(now, settings().reportingTimeZone), ...files };
    };
  },
};
