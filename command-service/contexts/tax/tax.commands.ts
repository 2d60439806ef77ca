import type { TaxResponse } from '#values/tax-response.ts';
import type { TaxConfiguration, TaxRequest } from '#ports/tax-provider.ts';

/** Chooses who says what tax is due. */
export interface ActivateTaxProvider {
  readonly type: 'ActivateTaxProvider';
  readonly provider: string;
}

/** Sets what a provider needs: the whole of it. */
export interface ConfigureTaxProvider {
  readonly type: 'ConfigureTaxProvider';
  readonly provider: string;
  readonly configuration: TaxConfiguration;
}

export type TaxProviderCommand = ActivateTaxProvider | ConfigureTaxProvider;

export interface TaxesApi {
  /** What the active provider says; null where it cannot be asked or talks nonsense. */
  ask(request: TaxRequest): Promise<TaxResponse | null>;
}
