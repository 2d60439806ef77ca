import { UCP, type ProtocolAnswer, type ProtocolRequest } from '#agents/commerce-protocol.ts';
import { productForms, productsForms } from '#agents/forms/catalogue-forms.ts';
import {
  getProductBody,
  getProductResponse,
  lookupCatalogBody,
  lookupCatalogResponse,
  searchCatalogBody,
  searchCatalogResponse,
} from '#contracts/agent-catalogue.contract.ts';
import { agentRoutes } from '#http/agent-route.ts';
import { browsingAgent, type Route } from '#http/route.ts';
import { productSearchOf } from '#reference/search/product-search.ts';
import { referenceState, type ProjectionDeps } from '../../../engine/service-deps.ts';
import { productListProjection } from '../product-list.projection.ts';
import { createShopNames } from '../shop-names.ts';
import type { CatalogueSources, Found } from './catalogue-sources.ts';
import { createDescriptions } from './descriptions.ts';
import { getCatalogueProduct } from './get-product.ts';
import { lookUpCatalogue } from './lookup-catalogue.ts';
import { searchCatalogue } from './search-catalogue.ts';
import { createShownProducts } from './shown-products.ts';

type Ucp = NonNullable<ProjectionDeps['ucp']>;
type Answering<Body, Result> = (
  sources: CatalogueSources,
  body: Body,
  baseUrl: string,
) => Promise<Found<Result>>;

const sourcesOf = ({ reader, reference, settings }: ProjectionDeps, { limits }: Ucp): CatalogueSources => {
  const descriptions = createDescriptions(reader);
  return {
    reference,
    settings,
    search: productSearchOf(reference),
    names: createShopNames(reference),
    limits,
    descriptions,
    openView: createShownProducts(reference, descriptions),
  };
};

/** What the shop sells, as agents see it (docs/rules/agent-catalogue.md). */
export const agentCatalogueRoutes = (deps: ProjectionDeps): readonly Route[] => {
  const { ucp } = deps;
  if (ucp?.capabilities.catalog !== true) return [];
  const sources = sourcesOf(deps, ucp);
  const answering =
    <Body, Result>(answer: Answering<Body, Result>) =>
    async ({ agent: { dialect }, body, baseUrl }: ProtocolRequest<Body>): Promise<ProtocolAnswer<Result>> => {
      const found = await answer(sources, body, baseUrl);
      return 'error' in found ? { dialect, ...found } : { httpStatus: 200, dialect, ...found };
    };
  const { protocols } = deps;
  protocols.register({
    alias: UCP,
    enabled: true,
    searchCatalog: answering(searchCatalogue),
    lookupCatalog: answering(lookUpCatalogue),
    getProduct: answering(getCatalogueProduct),
  });
  const { ask } = agentRoutes({ ucp });
  const common = {
    method: 'POST',
    service: 'projection',
    caller: browsingAgent,
    reads: [referenceState, productListProjection],
    file: import.meta.url,
  } as const;
  return [
    ask({
      ...common,
      path: '/api/v1/catalog/search',
      summary: 'What an agent can buy here, by words, categories and prices, the best first',
      body: searchCatalogBody,
      response: searchCatalogResponse,
      errors: ['missing', 'invalid'],
      forms: productsForms,
      handle: protocols.asking(UCP, 'searchCatalog'),
    }),
    ask({
      ...common,
      path: '/api/v1/catalog/lookup',
      summary: 'Products and variants by their ids or SKUs',
      body: lookupCatalogBody,
      response: lookupCatalogResponse,
      errors: ['missing', 'invalid', 'request_too_large'],
      forms: productsForms,
      handle: protocols.asking(UCP, 'lookupCatalog'),
    }),
    ask({
      ...common,
      path: '/api/v1/catalog/product',
      summary: 'One product with its variants, and what choosing its options would come to',
      body: getProductBody,
      response: getProductResponse,
      errors: ['missing', 'invalid'],
      forms: productForms,
      handle: protocols.asking(UCP, 'getProduct'),
    }),
  ];
};
