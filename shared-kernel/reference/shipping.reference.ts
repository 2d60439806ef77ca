import type { ShippingOptionEvent, WarehouseEvent } from '#events/shipping.events.ts';
import type { Recorded } from '#kernel/event.ts';
import { idOf } from '#values/stream-name.ts';
import type { ReferenceShippingOption, ReferenceWarehouse, ShippingReference } from './reference.ts';
import type { ReferencePart } from './reference-part.ts';

interface ShippingSnapshot {
  readonly warehouses: readonly ReferenceWarehouse[];
  readonly options: readonly ReferenceShippingOption[];
}

const noOptions: readonly ReferenceShippingOption[] = [];

/** Warehouses and shipping options. Few and seldom changed: lists are worked out anew after each change. */
export const createShippingReference = (): ShippingReference & ReferencePart => {
  const warehouses = new Map<string, ReferenceWarehouse>();
  const options = new Map<string, ReferenceShippingOption>();
  let warehouseList: readonly ReferenceWarehouse[] = [];
  let optionsByWarehouse: ReadonlyMap<string, readonly ReferenceShippingOption[]> = new Map();

  const index = (): void => {
    warehouseList = [...warehouses.values()];
    optionsByWarehouse = Map.groupBy(options.values(), ({ warehouseId }) => warehouseId);
  };

  const apply = (event: Recorded<WarehouseEvent | ShippingOptionEvent>): void => {
    const id = idOf(event.stream);
    switch (event.type) {
      case 'WarehouseCreated':
      case 'WarehouseChanged':
        warehouses.set(id, { id, ...event.data.warehouse });
        break;
      case 'WarehouseDeleted':
        warehouses.delete(id);
        break;
      case 'ShippingOptionCreated':
      case 'ShippingOptionChanged':
        options.set(id, { id, ...event.data.shippingOption });
        break;
      case 'ShippingOptionDeleted':
        options.delete(id);
        break;
    }
    index();
  };

  return {
    warehouse: (id) => warehouses.get(id),
    warehouses: () => warehouseList,
    option: (id) => options.get(id),
    optionsOf: (warehouseId) => optionsByWarehouse.get(warehouseId) ?? noOptions,
    name: 'shipping',
    version: 1,
    eventTypes: [
      'WarehouseCreated',
      'WarehouseChanged',
      'WarehouseDeleted',
      'ShippingOptionCreated',
      'ShippingOptionChanged',
      'ShippingOptionDeleted',
    ],
    apply: (event) => apply(event as Recorded<WarehouseEvent | ShippingOptionEvent>),
    snapshot: (): ShippingSnapshot => ({
      warehouses: [...warehouses.values()],
      options: [...options.values()],
    }),
    restore: (snapshot) => {
      const restored = snapshot as ShippingSnapshot;
      warehouses.clear();
      options.clear();
      for (const warehouse of restored.warehouses) warehouses.set(warehouse.id, warehouse);
      for (const option of restored.options) options.set(option.id, option);
      index();
    },
  };
};
