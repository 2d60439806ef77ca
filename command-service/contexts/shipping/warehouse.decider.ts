import { warehouseEvents, type Warehouse, type WarehouseEvent } from '#events/shipping.events.ts';
import { entityDecider } from '#kernel/entity.ts';

const { WarehouseChanged, WarehouseCreated, WarehouseDeleted } = warehouseEvents.create;

export const warehouseDecider = entityDecider<Warehouse, WarehouseEvent>({
  category: 'warehouse',
  noun: 'warehouse',
  created: (warehouse, at) => WarehouseCreated({ warehouse, at }),
  changed: (warehouse, at) => WarehouseChanged({ warehouse, at }),
  deleted: () => WarehouseDeleted({}),
  told: ({ type, data }) => (type === 'WarehouseDeleted' ? null : { fields: data.warehouse, at: data.at }),
});
