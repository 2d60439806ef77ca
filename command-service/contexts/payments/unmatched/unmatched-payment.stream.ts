import type { ShopStream } from '#command/engine/streams.ts';
import type { UnmatchedPaymentEvent } from '#events/unmatched-payment.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import { derivedId } from '#kernel/ids.ts';
import type { UnmatchedPaymentCommand } from './unmatched-payment.commands.ts';
import { unmatchedPaymentDecider, type UnmatchedPaymentContext } from './unmatched-payment.decider.ts';
import type { UnmatchedPayment } from './unmatched-payment.state.ts';

/** One stream for each payment of a provider. */
export const unmatchedPaymentId = (provider: string, transactionId: string): string =>
  derivedId('unmatched-payment', provider, transactionId);

export const unmatchedPaymentStream: ShopStream<
  UnmatchedPayment,
  UnmatchedPaymentCommand,
  UnmatchedPaymentEvent,
  UnmatchedPaymentContext
> = {
  decider: unmatchedPaymentDecider,
  context:
    ({ clock }, _command, id) =>
    () => ({ id, now: isoInstant(clock.now()) }),
};
