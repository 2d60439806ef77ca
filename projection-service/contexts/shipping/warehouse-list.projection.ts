import type { Warehouse, WarehouseEvent } from '#events/shipping.events.ts';
import { projection, remove } from '#kernel/projection.ts';
import { idOf } from '#values/stream-name.ts';
import { changedEntity, createdEntity, entityIndexes, type EntityDocument } from '../../entity-document.ts';

export type WarehouseDocument = EntityDocument<Warehouse>;

/** Warehouses by id. */
export const warehouseListProjection = projection<WarehouseEvent>()<WarehouseDocument>({
  name: 'warehouses',
  version: 1,
  indexes: entityIndexes,
  keys: (event) => [idOf(event.stream)],
  on: {
    WarehouseCreated: (_document, { data: { warehouse, at } }, key) =>
      createdEntity(key, warehouse, [warehouse.name, warehouse.code], at),
    WarehouseChanged: (document, { data: { warehouse, at } }) =>
      changedEntity(document, warehouse, [warehouse.name, warehouse.code], at),
    WarehouseDeleted: () => remove,
  },
});
