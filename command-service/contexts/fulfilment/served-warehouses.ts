/** Which warehouses have a provider, directly or through a supplier, as of a position in the log. */
export const createServedWarehouses = () => {
  const warehouses = new Map<string, { readonly isServed: boolean; readonly supplierId: string | null }>();
  const suppliers = new Set<string>();
  return {
    putWarehouse: (id: string, isServed: boolean, supplierId: string | null): void =>
      void warehouses.set(id, { isServed, supplierId }),
    putSupplier: (id: string, isServed: boolean): void => {
      if (isServed) suppliers.add(id);
      else suppliers.delete(id);
    },
    removeWarehouse: (id: string): void => void warehouses.delete(id),
    has: (warehouseId: string | null): boolean => {
      const known = warehouseId === null ? undefined : warehouses.get(warehouseId);
      if (!known) return false;
      return known.isServed || (known.supplierId !== null && suppliers.has(known.supplierId));
    },
    isAnyServed: (): boolean =>
      suppliers.size > 0 || [...warehouses.values()].some(({ isServed }) => isServed),
    clear: (): void => {
      warehouses.clear();
      suppliers.clear();
    },
  };
};
