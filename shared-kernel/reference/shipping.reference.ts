import type { ShippingOption, ShippingOptionEvent } from '#entities/shipping-option.entity.ts';
import type { ShippingProvider, ShippingProviderEvent } from '#entities/shipping-provider.entity.ts';
import type { Warehouse, WarehouseEvent } from '#entities/warehouse.entity.ts';
import { idOf } from '#values/stream-name.ts';
import type {
  ReferenceCarrier,
  ReferenceShippingOption,
  ReferenceWarehouse,
  ShippingReference,
} from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';
import { ChunkedEntries } from './chunked-entries.ts';

interface Told<Data> {
  readonly stream: string;
  readonly data: Data;
}

interface Provider extends ShippingProvider {
  readonly id: string;
}

type Kept = ReferenceWarehouse | ReferenceShippingOption | Provider;

const noOptions: readonly ReferenceShippingOption[] = [];
const noCarriers: readonly ReferenceCarrier[] = [];

/** The carriers of a warehouse that are on, by the shop's order. */
const carriersAt = (
  { providerConfigs }: ReferenceWarehouse,
  providers: readonly Provider[],
): readonly ReferenceCarrier[] =>
  providers.flatMap(({ providerKey, configuration }) => {
    const config = providerConfigs.find((one) => one.providerKey === providerKey && one.isEnabled);
    return config ? [{ ...config, configuration }] : [];
  });

/** Lists of what is kept, worked out again after each change. */
const createLists = (kept: {
  readonly warehouses: ReadonlyMap<string, ReferenceWarehouse>;
  readonly options: ReadonlyMap<string, ReferenceShippingOption>;
  readonly providers: ReadonlyMap<string, Provider>;
}) => {
  let carriersByWarehouse: ReadonlyMap<string, readonly ReferenceCarrier[]> = new Map();
  let carriersOn: ReadonlySet<string> = new Set();
  let warehouseList: readonly ReferenceWarehouse[] = [];
  let optionsByWarehouse: ReadonlyMap<string, readonly ReferenceShippingOption[]> = new Map();
  return {
    index: (): void => {
      warehouseList = [...kept.warehouses.values()];
      optionsByWarehouse = Map.groupBy(kept.options.values(), ({ warehouseId }) => warehouseId);
      const on = [...kept.providers.values()]
        .filter(({ isEnabled }) => isEnabled)
        .sort((a, b) => a.sortOrder - b.sortOrder);
      carriersOn = new Set(on.map(({ providerKey }) => providerKey));
      carriersByWarehouse = new Map(warehouseList.map((one) => [one.id, carriersAt(one, on)]));
    },
    ask: {
      warehouses: () => warehouseList,
      optionsOf: (warehouseId: string) => optionsByWarehouse.get(warehouseId) ?? noOptions,
      carriersOf: (warehouseId: string) => carriersByWarehouse.get(warehouseId) ?? noCarriers,
      isCarrierOn: (providerKey: string) => carriersOn.has(providerKey),
    },
  };
};

/** Warehouses, shipping options and carriers. Few and seldom changed: lists are worked out again after each change. */
export const createShippingReference = (): ShippingReference & ReferencePart => {
  const entries = new ChunkedEntries<Kept>({ isOrdered: true });
  const warehouses = new Map<string, ReferenceWarehouse>();
  const options = new Map<string, ReferenceShippingOption>();
  const providers = new Map<string, Provider>();
  const { index, ask } = createLists({ warehouses, options, providers });

  const keep = (one: Kept): void => {
    entries.set(one.id, one);
    if ('configuration' in one) providers.set(one.id, one);
    else if ('warehouseId' in one) options.set(one.id, one);
    else warehouses.set(one.id, one);
  };
  const put = (one: Kept): void => {
    keep(one);
    index();
  };
  const remove = ({ stream }: { readonly stream: string }): void => {
    const id = idOf(stream);
    for (const all of [entries, warehouses, options, providers]) all.delete(id);
    index();
  };
  const putWarehouse = ({ stream, data }: Told<{ warehouse: Warehouse }>): void =>
    put({ id: idOf(stream), ...data.warehouse });
  const putOption = ({ stream, data }: Told<{ shippingOption: ShippingOption }>): void =>
    put({ id: idOf(stream), ...data.shippingOption });
  const putProvider = ({ stream, data }: Told<{ shippingProvider: ShippingProvider }>): void =>
    put({ id: idOf(stream), ...data.shippingProvider });
  const on: Fold<WarehouseEvent | ShippingOptionEvent | ShippingProviderEvent> = {
    WarehouseCreated: putWarehouse,
    WarehouseChanged: putWarehouse,
    WarehouseDeleted: remove,
    ShippingOptionCreated: putOption,
    ShippingOptionChanged: putOption,
    ShippingOptionDeleted: remove,
    ShippingProviderCreated: putProvider,
    ShippingProviderChanged: putProvider,
    ShippingProviderDeleted: remove,
  };

  return {
    warehouse: (id) => warehouses.get(id),
    option: (id) => options.get(id),
    ...ask,
    name: 'shipping',
    version: 2,
    on,
    entries,
    restore: (kept) => {
      for (const [, one] of kept) keep(one as Kept);
      index();
    },
    clear: () => {
      warehouses.clear();
      options.clear();
      providers.clear();
      index();
    },
  };
};
