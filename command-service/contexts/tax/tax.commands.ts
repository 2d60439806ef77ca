import type { TaxResponse } from '#values/tax-response.ts';
import type { TaxRequest } from '#ports/tax-provider.ts';

export interface TaxesApi {
  /** What the active provider says; null where it cannot be asked or talks nonsense. */
  ask(request: TaxRequest): Promise<TaxResponse | null>;
}
