import type { ShopStream } from '#command/engine/streams.ts';
import type { BasketState, BasketStreamEvent } from '../basket/basket.state.ts';
import type { BasketEndCommand, CheckoutCommand } from './checkout.commands.ts';
import { checkoutContext, type CheckoutContext } from './checkout.context.ts';
import { checkoutDecider } from './checkout.decider.ts';
import { basketEndDecider } from './placement/placement-end.decider.ts';

/** The second half of a basket's stream. */
export const checkoutStream: ShopStream<BasketState, CheckoutCommand, BasketStreamEvent, CheckoutContext> = {
  decider: checkoutDecider,
  context: (sources, command) => checkoutContext(sources)(command),
};

/** The same stream where something ends: nothing is gathered. */
export const basketEndStream: ShopStream<BasketState, BasketEndCommand, BasketStreamEvent> = {
  decider: basketEndDecider,
  ends: ({ type }) => type === 'ExpireOrder',
};
