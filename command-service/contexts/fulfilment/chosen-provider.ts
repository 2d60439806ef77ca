import { supplier } from '#entities/supplier.entity.ts';
import type { FieldsOf } from '#entities/define-entity.ts';
import type { Reference } from '#reference/reference.ts';

type Supplier = FieldsOf<typeof supplier>;
type Known = Pick<Reference, 'entities' | 'shipping'>;

/** Whose goods a warehouse holds. */
const supplierOf = ({ entities, shipping }: Known, warehouseId: string | null): Supplier | null => {
  const supplierId = warehouseId === null ? null : shipping.warehouse(warehouseId)?.supplierId;
  return supplierId ? ((entities.find(supplier.category, supplierId) as Supplier | undefined) ?? null) : null;
};

/** The id of the configuration of whoever sends from a warehouse: its own, else that of its supplier. */
export const configurationOf = (reference: Known, warehouseId: string): string | null =>
  reference.shipping.warehouse(warehouseId)?.fulfilmentProviderConfigurationId ??
  supplierOf(reference, warehouseId)?.defaultFulfilmentProviderConfigurationId ??
  null;
