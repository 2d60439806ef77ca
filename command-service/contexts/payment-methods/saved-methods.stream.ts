import type { ShopStream } from '#command/engine/streams.ts';
import type { PaymentMethodEvent } from '#events/payment-method.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import type { SavedMethodCommand } from './saved-method.commands.ts';
import { savedMethodsDecider, type SavedMethodContext } from './saved-methods.decider.ts';
import type { SavedMethods } from './saved-methods.state.ts';

/** The saved methods of a customer, under the customer's id. */
export const savedMethodsStream: ShopStream<
  SavedMethods,
  SavedMethodCommand,
  PaymentMethodEvent,
  SavedMethodContext
> = {
  decider: savedMethodsDecider,
  context:
    ({ clock }) =>
    () => ({ now: isoInstant(clock.now()) }),
};
