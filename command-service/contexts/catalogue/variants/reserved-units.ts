import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { ProductVariant } from '#events/catalogue.events.ts';
import { levelOf } from '../../inventory/stock.state.ts';
import { stockStream } from '../../inventory/stock.stream.ts';
import { stockId } from '#values/stock-id.ts';

/** What is reserved of each variant, asked of the stock's own streams. */
export const reservedOf = async (
  { streams }: CommandDeps,
  variants: readonly ProductVariant[],
): Promise<ReadonlyMap<string, number>> => {
  const found = variants.map(async ({ id, stockRows }) => {
    const rows = await Promise.all(
      stockRows.map(({ warehouseId }) => streams.load(stockStream, stockId(id, warehouseId))),
    );
    return [id, rows.reduce((sum, { state }) => sum + levelOf(state).reserved, 0)] as const;
  });
  return new Map(await Promise.all(found));
};
