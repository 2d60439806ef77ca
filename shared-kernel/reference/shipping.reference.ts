import type { ShippingOption, ShippingOptionEvent } from '#entities/shipping-option.entity.ts';
import type { Warehouse, WarehouseEvent } from '#entities/warehouse.entity.ts';
import { idOf } from '#values/stream-name.ts';
import type { ReferenceShippingOption, ReferenceWarehouse, ShippingReference } from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';
import { SlicedEntries } from './sliced-entries.ts';

interface Told<Data> {
  readonly stream: string;
  readonly data: Data;
}

const noOptions: readonly ReferenceShippingOption[] = [];

/** Warehouses and shipping options. Few and seldom changed: lists are worked out again after each change. */
export const createShippingReference = (): ShippingReference & ReferencePart => {
  const entries = new SlicedEntries<ReferenceWarehouse | ReferenceShippingOption>({ isOrdered: true });
  const warehouses = new Map<string, ReferenceWarehouse>();
  const options = new Map<string, ReferenceShippingOption>();
  let warehouseList: readonly ReferenceWarehouse[] = [];
  let optionsByWarehouse: ReadonlyMap<string, readonly ReferenceShippingOption[]> = new Map();

  const index = (): void => {
    warehouseList = [...warehouses.values()];
    optionsByWarehouse = Map.groupBy(options.values(), ({ warehouseId }) => warehouseId);
  };

  const keep = (one: ReferenceWarehouse | ReferenceShippingOption): void => {
    entries.set(one.id, one);
    if ('warehouseId' in one) options.set(one.id, one);
    else warehouses.set(one.id, one);
  };
  const put = (one: ReferenceWarehouse | ReferenceShippingOption): void => {
    keep(one);
    index();
  };
  const remove = ({ stream }: { readonly stream: string }): void => {
    const id = idOf(stream);
    for (const all of [entries, warehouses, options]) all.delete(id);
    index();
  };
  const putWarehouse = ({ stream, data }: Told<{ warehouse: Warehouse }>): void =>
    put({ id: idOf(stream), ...data.warehouse });
  const putOption = ({ stream, data }: Told<{ shippingOption: ShippingOption }>): void =>
    put({ id: idOf(stream), ...data.shippingOption });
  const on: Fold<WarehouseEvent | ShippingOptionEvent> = {
    WarehouseCreated: putWarehouse,
    WarehouseChanged: putWarehouse,
    WarehouseDeleted: remove,
    ShippingOptionCreated: putOption,
    ShippingOptionChanged: putOption,
    ShippingOptionDeleted: remove,
  };

  return {
    warehouse: (id) => warehouses.get(id),
    warehouses: () => warehouseList,
    option: (id) => options.get(id),
    optionsOf: (warehouseId) => optionsByWarehouse.get(warehouseId) ?? noOptions,
    name: 'shipping',
    version: 1,
    on,
    entries,
    restore: (kept) => {
      for (const [, one] of kept) keep(one as ReferenceWarehouse | ReferenceShippingOption);
      index();
    },
    clear: () => {
      warehouses.clear();
      options.clear();
      index();
    },
  };
};
