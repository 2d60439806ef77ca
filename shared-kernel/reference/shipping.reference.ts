import type { ShippingOption, ShippingOptionEvent } from '#entities/shipping-option.entity.ts';
import type { Warehouse, WarehouseEvent } from '#entities/warehouse.entity.ts';
import { idOf } from '#values/stream-name.ts';
import type { ReferenceShippingOption, ReferenceWarehouse, ShippingReference } from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';

interface ShippingSnapshot {
  readonly warehouses: readonly ReferenceWarehouse[];
  readonly options: readonly ReferenceShippingOption[];
}

interface Told<Data> {
  readonly stream: string;
  readonly data: Data;
}

const noOptions: readonly ReferenceShippingOption[] = [];

/** Warehouses and shipping options. Few and seldom changed: lists are worked out again after each change. */
export const createShippingReference = (): ShippingReference & ReferencePart => {
  const warehouses = new Map<string, ReferenceWarehouse>();
  const options = new Map<string, ReferenceShippingOption>();
  let warehouseList: readonly ReferenceWarehouse[] = [];
  let optionsByWarehouse: ReadonlyMap<string, readonly ReferenceShippingOption[]> = new Map();

  const index = (): void => {
    warehouseList = [...warehouses.values()];
    optionsByWarehouse = Map.groupBy(options.values(), ({ warehouseId }) => warehouseId);
  };

  const change = (mutate: (id: string) => unknown, stream: string): void => {
    mutate(idOf(stream));
    index();
  };
  const putWarehouse = ({ stream, data }: Told<{ warehouse: Warehouse }>): void =>
    change((id) => warehouses.set(id, { id, ...data.warehouse }), stream);
  const putOption = ({ stream, data }: Told<{ shippingOption: ShippingOption }>): void =>
    change((id) => options.set(id, { id, ...data.shippingOption }), stream);
  const on: Fold<WarehouseEvent | ShippingOptionEvent> = {
    WarehouseCreated: putWarehouse,
    WarehouseChanged: putWarehouse,
    WarehouseDeleted: ({ stream }) => change((id) => warehouses.delete(id), stream),
    ShippingOptionCreated: putOption,
    ShippingOptionChanged: putOption,
    ShippingOptionDeleted: ({ stream }) => change((id) => options.delete(id), stream),
  };

  return {
    warehouse: (id) => warehouses.get(id),
    warehouses: () => warehouseList,
    option: (id) => options.get(id),
    optionsOf: (warehouseId) => optionsByWarehouse.get(warehouseId) ?? noOptions,
    name: 'shipping',
    version: 1,
    on,
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
