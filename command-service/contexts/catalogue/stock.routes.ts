import { metaOf, stepMeta } from '#command/engine/request-meta.ts';
import { variantParams } from '#contracts/catalogue.contract.ts';
import {
  adjustStock,
  stockRowAnswer,
  stockRowSchema,
  type AdjustStockBody,
} from '#contracts/inventory.contract.ts';
import { admin, ok, route, type Route } from '#http/route.ts';
import { notFound, refuseProblems } from '#kernel/entity.ts';
import type { ProductVariant } from '#events/catalogue.events.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { AdjustStock, StockRows } from '../inventory/stock.commands.ts';
import type { Products } from './products.ts';

const newRow = { stock: 0, trackStock: true, reorderPoint: null, reorderQuantity: null };

/** Says of the variant that the warehouse stocks it, and opens the row, where there is none. */
const ensureRow = async (
  products: Products,
  stock: StockRows,
  productId: string,
  { id: variantId, sku, stockRows }: ProductVariant,
  warehouseId: string,
  meta: CommandMeta,
): Promise<void> => {
  const row = { ...newRow, warehouseId };
  const known = stockRows.find((candidate) => candidate.warehouseId === warehouseId);
  if (known) {
    await stock.open({ productId: variantId, sku, ...row, trackStock: known.trackStock }, meta);
    return;
  }
  const find = { id: variantId };
  const stockRow = { warehouseId, trackStock: row.trackStock };
  const patch = { find, newId: variantId, path: '', fields: {}, stockRows: [stockRow] };
  await products.patchVariant(productId, patch, [row], meta);
};

const changeOf = ({ stock, adjustBy }: AdjustStockBody): AdjustStock['change'] =>
  stock === undefined ? { by: adjustBy } : { to: stock };

/** POST …/stock: counts a row anew or corrects it; a row that is not there begins at 0. */
export const stockRoutes = (products: Products, stock: StockRows): readonly Route[] => [
  route({
    base: 'management',
    service: 'command',
    caller: admin,
    file: 'command-service/contexts/catalogue/stock.routes.ts',
    method: 'POST',
    path: '/products/{id}/variants/{variantId}/stock',
    summary: 'Set or adjust the stock of a variant in a warehouse, never below what is reserved',
    schemas: { params: variantParams, body: adjustStock },
    answer: stockRowSchema,
    errors: ['invalid-request', 'entity-not-found', 'stock-below-reserved', 'quantity-too-large'],
    isIdempotent: true,
    handle: async (request) => {
      const { params, body } = request;
      const { warehouseId, reason } = body;
      const product = await products.load(params.id);
      const variant = product?.variants.find(({ id }) => id === params.variantId);
      if (!variant) throw notFound('variant');
      const isNew = !variant.stockRows.some((row) => row.warehouseId === warehouseId);
      if (isNew && (body.adjustBy ?? 0) < 0) {
        refuseProblems(['adjustBy: at least 0 was expected, as there is no such row yet']);
      }
      const meta = metaOf(request);
      await ensureRow(products, stock, params.id, variant, warehouseId, stepMeta(meta));
      const adjusted = await stock.adjust(params.variantId, warehouseId, changeOf(body), reason, meta);
      return ok(stockRowAnswer(warehouseId, adjusted.level), { position: adjusted.position });
    },
  }),
];
