import type { ProtocolError } from '#agents/protocol-error.ts';
import type { ProductSearcher } from '#reference/search/product-search.ts';
import type { Config } from '#runtime/config.ts';
import type { ProjectionDeps } from '../../../engine/service-deps.ts';
import type { ShopNames } from '../shop-names.ts';
import type { DescriptionReader } from './descriptions.ts';
import type { OpenView } from './shown-products.ts';

/** What the catalogue of agents is answered from. */
export interface CatalogueSources extends Pick<ProjectionDeps, 'reference' | 'settings'> {
  readonly search: ProductSearcher;
  readonly names: ShopNames;
  readonly limits: Pick<Config['protocol']['ucp']['limits'], 'maxCatalogLookup' | 'maxPageSize'>;
  readonly descriptions: Pick<DescriptionReader, 'long'>;
  readonly openView: OpenView;
}

export type Found<Result> = { readonly result: Result } | { readonly error: ProtocolError };
