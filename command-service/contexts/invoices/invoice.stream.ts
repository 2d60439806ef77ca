import type { ShopStream } from '#command/engine/streams.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import { businessDay } from '#values/business-day.ts';
import { downloadsOf, withDownloads, type DownloadsContext } from './downloads/due-links.state.ts';
import type { InvoiceCommand } from './invoice.commands.ts';
import { invoiceDecider, type InvoiceContext } from './invoice.decider.ts';
import type { InvoiceState } from './invoice.state.ts';

/** Invoices with their orders, as processes and other contexts command them. */
export const invoiceStream: ShopStream<
  InvoiceState,
  InvoiceCommand,
  InvoiceEvent,
  InvoiceContext & DownloadsContext
> = {
  decider: withDownloads(invoiceDecider),
  context: (sources) => {
    const { clock, settings } = sources;
    const files = downloadsOf(sources);
    return () => {
      const now = clock.now();
      const unpaid = settings();
      return { now: isoInstant(now), today: businessDay(now, unpaid.reportingTimeZone), unpaid, ...files };
    };
  },
  begins: ({ type }) => type === 'CreateInvoice',
  ends: ({ type }) => type === 'ExpireInvoice',
};
