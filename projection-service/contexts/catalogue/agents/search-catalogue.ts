import type { ProtocolProducts } from '#agents/protocol-catalogue.ts';
import type { SearchCatalogBody } from '#contracts/agent-catalogue.contract.ts';
import { defined } from '#kernel/defined.ts';
import { featuredFirst, MAX_VARIANTS, variantsMeeting } from './agent-product.ts';
import { questionOf } from './agent-view.ts';
import type { CatalogueSources, Found } from './catalogue-sources.ts';
import { cursorOf, placeIn } from './cursor.ts';

const DEFAULT_LIMIT = 10;

/** Whether anything is asked for. Filters that the shop does not know are none. */
const isQuestion = ({ query, filters }: SearchCatalogBody): boolean =>
  (query ?? '').trim() !== '' ||
  (filters?.categories ?? []).length > 0 ||
  (filters?.price?.min ?? filters?.price?.max ?? null) !== null;

/** Products by words, categories and price, the best first (docs/rules/agent-catalogue.md#search). */
export const searchCatalogue = async (
  sources: CatalogueSources,
  body: SearchCatalogBody,
  baseUrl: string,
): Promise<Found<ProtocolProducts>> => {
  if (!isQuestion(body))
    return {
      error: { code: 'missing', text: 'Search for a query or at least one filter.', path: '$.query' },
    };
  const { cursor, limit } = body.pagination ?? {};
  const after = cursor ? placeIn(cursor) : undefined;
  if (cursor && !after)
    return {
      error: {
        code: 'invalid',
        text: 'The cursor must be one that a search of this shop has answered.',
        path: '$.pagination.cursor',
      },
    };
  const question = questionOf(sources, sources.names, body, baseUrl);
  const { view, categoryIds, priceBounds, messages } = question;
  const { products, totalItems, next } = sources.search.find({
    search: body.query ?? '',
    ...defined({ categoryIds, priceBounds, after }),
    sort: 'relevance',
    skip: 0,
    limit: Math.min(Math.max(limit ?? DEFAULT_LIMIT, 1), sources.limits.maxPageSize),
  });
  const show = await sources.openView(view).showing(products);
  return {
    result: {
      capabilities: ['dev.ucp.shopping.catalog.search'],
      products: products.map((product) => {
        const shown = show(product);
        const met = featuredFirst(view, product, variantsMeeting(question, product) ?? []);
        return {
          product: shown.product,
          variants: met.slice(0, MAX_VARIANTS).map((variant) => ({ variant: shown.variant(variant) })),
        };
      }),
      pagination: { cursor: next && cursorOf(next), totalCount: totalItems },
      messages,
    },
  };
};
