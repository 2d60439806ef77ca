import type { ShopStream } from '#command/engine/streams.ts';
import type { BasketState, BasketStreamEvent } from '../basket/basket.state.ts';
import type { CheckoutCommand } from './checkout.commands.ts';
import { checkoutContext, type CheckoutContext } from './checkout.context.ts';
import { checkoutDecider } from './checkout.decider.ts';

/** The second half of a basket's stream. */
export const checkoutStream: ShopStream<BasketState, CheckoutCommand, BasketStreamEvent, CheckoutContext> = {
  decider: checkoutDecider,
  context: (sources, command) => checkoutContext(sources)(command),
  ends: ({ type }) => type === 'ExpireOrder',
};
