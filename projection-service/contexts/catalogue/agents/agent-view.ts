import { storefrontUrl } from '#agents/storefront-url.ts';
import type { ProtocolMessage } from '#agents/protocol-parts.ts';
import type { CatalogueContext, CatalogueFilters } from '#contracts/agent-catalogue.contract.ts';
import { locationOf, requestedLocation } from '#reference/location.ts';
import { presentationFor } from '#reference/presentation.ts';
import type { BoundsOf } from '#reference/search/price-index.ts';
import { countryCalled } from '#values/region.ts';
import type { ProjectionDeps } from '../../../engine/service-deps.ts';
import type { ShopNames } from '../shop-names.ts';
import { boundsOfAmounts, type ShopView } from '../shop-products.queries.ts';

/** How products are shown to one agent: prices without tax, which stands on its own in a session. */
export interface AgentView extends ShopView {
  /** The agent has said to which country the goods go: what cannot be sent there cannot be had. */
  readonly isPlaced: boolean;
  /** Where people shop. */
  readonly storefront: string;
  /** What addresses of pictures without a host belong to. */
  readonly mediaBase: string;
}

/** What the reader of an answer is told of the context and the filters. */
export interface AgentQuestion {
  readonly view: AgentView;
  readonly categoryIds: readonly string[] | undefined;
  readonly priceBounds: BoundsOf | undefined;
  readonly messages: readonly ProtocolMessage[];
}

type Sources = Pick<ProjectionDeps, 'reference' | 'settings'>;

const viewOf = (sources: Sources, context: CatalogueContext, baseUrl: string): AgentView => {
  const settings = sources.settings();
  const { reference } = sources;
  const country = countryCalled(context?.address_country ?? '');
  const presentation = presentationFor(sources, context?.currency?.trim());
  return {
    reference,
    settings,
    presentation: { ...presentation, displayPricesIncTax: false },
    location:
      country === null
        ? requestedLocation({}, {}, settings, reference.shipping)
        : locationOf(country, context?.address_region ?? null),
    isPlaced: country !== null,
    storefront: storefrontUrl(settings.websiteUrl, baseUrl),
    mediaBase: `${settings.websiteUrl ?? baseUrl}/`,
  };
};

const unsupported = (content: string, path: string): ProtocolMessage => ({
  type: 'warning',
  code: 'currency_not_supported',
  content,
  path,
});

/** Context and filters in the shop's terms. Amounts of a currency that the shop does not have cannot be compared. */
export const questionOf = (
  sources: Sources,
  names: ShopNames,
  { context, filters }: { readonly context?: CatalogueContext; readonly filters?: CatalogueFilters },
  baseUrl: string,
): AgentQuestion => {
  const view = viewOf(sources, context, baseUrl);
  const { currency } = view.presentation.display;
  const wanted = context?.currency?.trim() ?? '';
  const isSupported = wanted === '' || wanted.toUpperCase() === currency;
  const { min = null, max = null } = filters?.price ?? {};
  const priceBounds = isSupported
    ? boundsOfAmounts(view, { min: min ?? undefined, max: max ?? undefined })
    : undefined;
  const messages: ProtocolMessage[] = [];
  if (!isSupported) {
    messages.push(
      unsupported(`This shop has no prices in ${wanted}; these are in ${currency}.`, '$.context.currency'),
    );
    if (min !== null || max !== null)
      messages.push(
        unsupported(`Prices in ${wanted} cannot be compared: this filter is left out.`, '$.filters.price'),
      );
  }
  const categories = filters?.categories ?? [];
  return {
    view,
    categoryIds: categories.length === 0 ? undefined : [...new Set(categories.flatMap(names.categories))],
    priceBounds,
    messages,
  };
};
