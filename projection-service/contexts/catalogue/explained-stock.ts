import { stockId } from '#values/stock-id.ts';
import { streamOf } from '#values/stream-name.ts';
import { explainedView, type EventSources } from '../../engine/why/explained-view.ts';
import { stockLevelsProjection, type StockDocument } from './stock-levels.projection.ts';

interface WithRows {
  readonly stockRows?: readonly { readonly warehouseId: string }[];
}

/** What an event of a product says of its variants: one, or all of them. */
const variantsIn = (data: unknown): readonly WithRows[] =>
  Object.values(data as object).flatMap((part: unknown) =>
    Array.isArray(part) ? (part as WithRows[]) : typeof part === 'object' && part !== null ? [part] : [],
  );

/** Warehouses that have stocked a variant, those among them that do so no longer. */
const warehousesOf = async (
  variantId: string,
  { reference, history }: EventSources,
): Promise<Set<string>> => {
  const found = new Set(reference.shipping.warehouses().map(({ id }) => id));
  const rootId = reference.catalogue.variant(variantId)?.rootId;
  if (rootId === undefined) return found;
  for await (const { data } of history(streamOf.product(rootId)))
    for (const { stockRows = [] } of variantsIn(data))
      for (const { warehouseId } of stockRows) found.add(warehouseId);
  return found;
};

/** A variant's stock is made of one stream for each warehouse. */
export const explainedStock = explainedView<StockDocument>({
  view: stockLevelsProjection,
  mainFigure: 'rows.*.stock',
  eventsOf: async ({ key, document }, sources) => {
    const warehouses = await warehousesOf(key, sources);
    for (const id of Object.keys(document?.rows ?? {})) warehouses.add(id);
    return { streams: [...warehouses].map((id) => streamOf.stock(stockId(key, id))) };
  },
});
