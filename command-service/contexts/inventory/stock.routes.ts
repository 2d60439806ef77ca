import { metaOf } from '#command/engine/request-meta.ts';
import { variantParams } from '#contracts/catalogue.contract.ts';
import {
  adjustStock,
  stockRowAnswer,
  stockRowSchema,
  type AdjustStockBody,
} from '#contracts/inventory.contract.ts';
import { admin, ok, route, type Route } from '#http/route.ts';
import type { StockActions } from './stock.actions.ts';
import type { AdjustStock } from './stock.commands.ts';

const changeOf = ({ stock, adjustBy }: AdjustStockBody): AdjustStock['change'] =>
  stock === undefined ? { by: adjustBy } : { to: stock };

/** Stock (docs/rules/inventory.md#stock-rows). */
export const stockRoutes = (actions: StockActions): readonly Route[] => [
  route({
    base: 'management',
    service: 'command',
    caller: admin,
    file: import.meta.url,
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
      const row = { rootId: params.id, variantId: params.variantId, warehouseId };
      const adjusted = await actions.adjust(row, { change: changeOf(body), reason }, metaOf(request));
      return ok(stockRowAnswer(warehouseId, adjusted.level), { position: adjusted.position });
    },
  }),
];
