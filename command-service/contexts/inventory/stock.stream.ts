import type { ShopStream } from '#command/engine/streams.ts';
import type { InventoryEvent } from '#events/inventory.events.ts';
import type { StockCommand } from './stock.commands.ts';
import { stockContext, type StockContext } from './stock.context.ts';
import { stockDecider } from './stock.decider.ts';
import type { StockState } from './stock.state.ts';

/** The stock of one variant in one warehouse. */
export const stockStream: ShopStream<StockState, StockCommand, InventoryEvent, StockContext> = {
  decider: stockDecider,
  context: (sources) => () => stockContext(sources),
};
