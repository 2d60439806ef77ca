import type { ShopStream } from '#command/engine/streams.ts';
import type { BasketCommand } from './basket.commands.ts';
import { basketContext, type BasketContext } from './basket.context.ts';
import { basketDecider } from './basket.decider.ts';
import type { BasketState, BasketStreamEvent } from './basket.state.ts';

/** The first half of a basket's stream: what is in it. */
export const basketLinesStream: ShopStream<BasketState, BasketCommand, BasketStreamEvent, BasketContext> = {
  decider: basketDecider,
  context: (sources, command) => basketContext(sources)(command),
};
