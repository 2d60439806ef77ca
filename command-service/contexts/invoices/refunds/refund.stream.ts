import type { ShopStream } from '#command/engine/streams.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import type { InvoiceState } from '../invoice.state.ts';
import type { RefundCommand } from './refund.commands.ts';
import { refundDecider, type RefundContext } from './refund.decider.ts';

/** The money of an invoice that goes back. */
export const refundStream: ShopStream<InvoiceState, RefundCommand, InvoiceEvent, RefundContext> = {
  decider: refundDecider,
  context:
    ({ clock }) =>
    () => ({ now: isoInstant(clock.now()) }),
};
