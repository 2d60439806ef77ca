import { metaOf } from '#command/engine/request-meta.ts';
import { stockRowParams, variantParams } from '#contracts/catalogue.contract.ts';
import { adjustInventory, adjustStock } from '#contracts/inventory.contract.ts';
import { stockRowResponse, stockRowSchema } from '#entities/stock-row.ts';
import { admin, noContent, ok, route, type Route } from '#http/route.ts';
import { defined } from '#kernel/defined.ts';
import type { StockActions } from './stock.actions.ts';
import type { AdjustStock } from './stock.commands.ts';

const changeOf = (to: number | undefined, by: number | undefined): AdjustStock['change'] =>
  to === undefined ? { by: by ?? 0 } : { to };

const removeRoute = (actions: StockActions): Route =>
  route({
    base: 'management',
    service: 'command',
    caller: admin,
    file: import.meta.url,
    method: 'DELETE',
    path: '/products/{id}/variants/{variantId}/stock/{warehouseId}',
    summary: 'Take away the stock row of a variant in a warehouse, where nothing is reserved',
    schemas: { params: stockRowParams },
    errors: ['entity-not-found', 'stock-reserved'],
    handle: async (request) => {
      const { id: rootId, variantId, warehouseId } = request.params;
      const position = await actions.remove({ rootId, variantId, warehouseId }, metaOf(request));
      return noContent({ position });
    },
  });

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
    response: stockRowSchema,
    errors: ['invalid-request', 'entity-not-found', 'stock-below-reserved', 'quantity-too-large'],
    isIdempotent: true,
    handle: async (request) => {
      const { params, body } = request;
      const { warehouseId, reason, stock, adjustBy, reorderPoint } = body;
      const row = { rootId: params.id, variantId: params.variantId, warehouseId };
      const adjustment = {
        change: changeOf(stock, adjustBy),
        reason,
        ...defined({ reorderPoint }),
      };
      const { level, position } = await actions.adjust(row, adjustment, metaOf(request));
      return ok(stockRowResponse(warehouseId, level), { position });
    },
  }),
  removeRoute(actions),
  route({
    base: 'management',
    service: 'command',
    caller: admin,
    file: import.meta.url,
    method: 'POST',
    path: '/inventory/adjust',
    summary: 'Set or adjust the stock of a variant in a warehouse, named by its id alone',
    schemas: { body: adjustInventory },
    response: stockRowSchema,
    errors: ['invalid-request', 'entity-not-found', 'stock-below-reserved', 'quantity-too-large'],
    isIdempotent: true,
    handle: async (request) => {
      const { productId, warehouseId, reason, quantity, newStock } = request.body;
      const adjustment = { productId, warehouseId, change: changeOf(newStock, quantity), reason };
      const { level, position } = await actions.adjustVariant(adjustment, metaOf(request));
      return ok(stockRowResponse(warehouseId, level), { position });
    },
  }),
];
