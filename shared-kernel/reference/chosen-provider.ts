import {
  fulfilmentProviderConfiguration,
  type FulfilmentProviderConfiguration,
} from '#entities/fulfilment-provider-configuration.entity.ts';
import { supplier } from '#entities/supplier.entity.ts';
import type { FieldsOf } from '#entities/define-entity.ts';
import type { Reference } from './reference.ts';
import { supplierDirect } from '#values/fulfilment-providers.ts';

/** Who is to send an order. */
export interface ChosenProvider {
  readonly configurationId: string;
  readonly providerKey: string;
}

/** What has an order sent: its payment, or a word of staff. */
export type SubmissionSource = 'PaymentCreated' | 'ExplicitRelease';

type Supplier = FieldsOf<typeof supplier>;
type Known = Pick<Reference, 'entities' | 'shipping'>;

/** Whose goods a warehouse holds. */
export const supplierOf = ({ entities, shipping }: Known, warehouseId: string | null): Supplier | null => {
  const supplierId = warehouseId === null ? null : shipping.warehouse(warehouseId)?.supplierId;
  return supplierId ? ((entities.find(supplier.category, supplierId) as Supplier | undefined) ?? null) : null;
};

/** The provider of a warehouse, else of its supplier, and whether it waits for word of staff. */
export const providerOf = (
  reference: Known,
  warehouseId: string | null,
): (ChosenProvider & { readonly isByRelease: boolean }) | null => {
  const warehouse = warehouseId === null ? undefined : reference.shipping.warehouse(warehouseId);
  const owner = supplierOf(reference, warehouseId);
  const configurationId =
    warehouse?.fulfilmentProviderConfigurationId ?? owner?.defaultFulfilmentProviderConfigurationId ?? null;
  if (configurationId === null) return null;
  const fields = reference.entities.find(fulfilmentProviderConfiguration.category, configurationId);
  if (!fields) return null;
  const { providerKey } = fields as unknown as FulfilmentProviderConfiguration;
  const isByRelease = providerKey === supplierDirect.key && owner?.fulfilmentTrigger === 'ExplicitRelease';
  return { configurationId, providerKey, isByRelease };
};

/** Who sends an order from a warehouse once it is paid, or staff say so (docs/rules/fulfilment.md#who-sends). */
export const chosenProvider = (
  reference: Known,
  warehouseId: string | null,
  source: SubmissionSource,
): ChosenProvider | null => {
  const chosen = providerOf(reference, warehouseId);
  if (chosen === null || (chosen.isByRelease && source === 'PaymentCreated')) return null;
  const { configurationId, providerKey } = chosen;
  return { configurationId, providerKey };
};
