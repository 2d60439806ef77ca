import type { ShopStream, Sources } from '#command/engine/streams.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import { downloadsOf, withDownloads, type DownloadsContext } from '../downloads/due-links.state.ts';
import type { InvoiceState } from '../invoice.state.ts';
import type { PaymentContext } from './invoice-money.state.ts';
import type { PaymentCommand } from './payment.commands.ts';
import { paymentDecider } from './payment.decider.ts';

export const paymentContext =
  ({ clock, settings }: Pick<Sources, 'clock' | 'settings'>, invoiceId: string) =>
  (): PaymentContext => ({ invoiceId, now: isoInstant(clock.now()), unpaid: settings() });

/** The money of an invoice: the second half of its stream. */
export const paymentStream: ShopStream<
  InvoiceState,
  PaymentCommand,
  InvoiceEvent,
  PaymentContext & DownloadsContext
> = {
  decider: withDownloads(paymentDecider),
  context: (sources, _command, invoiceId) => {
    const own = paymentContext(sources, invoiceId);
    const files = downloadsOf(sources);
    return () => ({ ...own(), ...files });
  },
};
