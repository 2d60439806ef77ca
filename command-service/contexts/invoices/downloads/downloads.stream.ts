import type { ShopStream } from '#command/engine/streams.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import type { InvoiceState } from '../invoice.state.ts';
import type { DownloadsCommand } from './downloads.commands.ts';
import { downloadsDecider } from './downloads.decider.ts';
import { downloadsOf, type DownloadsContext } from './due-links.state.ts';

/** The files of an invoice, in its stream. */
export const downloadsStream: ShopStream<InvoiceState, DownloadsCommand, InvoiceEvent, DownloadsContext> = {
  decider: downloadsDecider,
  context: (sources) => {
    const files = downloadsOf(sources);
    return () => ({ now: isoInstant(sources.clock.now()), ...files });
  },
};
