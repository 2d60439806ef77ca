import type { ProtocolProducts, ShownVariant } from '#agents/protocol-catalogue.ts';
import type { ProtocolMessage } from '#agents/protocol-parts.ts';
import type { LookupCatalogBody } from '#contracts/agent-catalogue.contract.ts';
import type { ProductVariant } from '#events/catalogue.events.ts';
import { featuredOf, itemNamed } from '#reference/named-item.ts';
import type { SoldProduct } from '#reference/reference.ts';
import { shortened, variantsMeeting } from './agent-product.ts';
import { questionOf, type AgentQuestion } from './agent-view.ts';
import type { CatalogueSources, Found } from './catalogue-sources.ts';

type Inputs = NonNullable<ShownVariant['inputs']>;

/** A product with those of its variants that were asked for, each with the identifiers that led to it. */
interface Wanted {
  readonly product: SoldProduct;
  readonly variants: Map<ProductVariant, Inputs>;
}

/** Each product once, in the order in which the first of its identifiers comes. */
const wantedOf = (
  { reference }: CatalogueSources,
  question: AgentQuestion,
  ids: readonly string[],
): { readonly wanted: ReadonlyMap<string, Wanted>; readonly unknown: readonly string[] } => {
  const wanted = new Map<string, Wanted>();
  const unknown: string[] = [];
  for (const id of new Set(ids)) {
    const item = itemNamed(reference.catalogue, id);
    if (!item) {
      unknown.push(id);
      continue;
    }
    const { product } = item;
    const met = variantsMeeting(question, product) ?? [];
    const variant = item.variant ?? featuredOf(reference, product, met);
    if (!variant || !met.includes(variant)) continue;
    const found = wanted.get(product.id) ?? { product, variants: new Map<ProductVariant, Inputs>() };
    const inputs = found.variants.get(variant) ?? [];
    found.variants.set(variant, [...inputs, { id, match: item.variant ? 'exact' : 'featured' }]);
    wanted.set(product.id, found);
  }
  return { wanted, unknown };
};

const notFound = (ids: readonly string[], id: string): ProtocolMessage => ({
  type: 'info',
  code: 'not_found',
  content: `Nothing that can be bought here is called ${shortened(id)}.`,
  path: `$.ids[${ids.indexOf(id)}]`,
});

/** Products and variants by their identifiers (docs/rules/agent-catalogue.md#lookup). */
export const lookUpCatalogue = async (
  sources: CatalogueSources,
  body: LookupCatalogBody,
  baseUrl: string,
): Promise<Found<ProtocolProducts>> => {
  const { ids } = body;
  const { maxCatalogLookup } = sources.limits;
  if (ids.length === 0)
    return { error: { code: 'missing', text: 'ids must have at least one.', path: '$.ids' } };
  if (ids.length > maxCatalogLookup)
    return {
      error: {
        code: 'request_too_large',
        text: `ids must be at most ${maxCatalogLookup}, not ${ids.length}.`,
        path: '$.ids',
      },
    };
  const question = questionOf(sources, sources.names, body, baseUrl);
  const { view, messages } = question;
  const { wanted, unknown } = wantedOf(sources, question, ids);
  const products = Array.from(wanted.values(), ({ product }) => product);
  const descriptions = await sources.descriptions.short(products);
  const show = sources.showIn(view);
  return {
    result: {
      capabilities: ['dev.ucp.shopping.catalog.lookup'],
      products: Array.from(wanted.values(), ({ product, variants }) => {
        const shown = show(product, descriptions.get(product.id) ?? '');
        return {
          product: shown.product,
          variants: Array.from(variants, ([variant, inputs]) => ({
            variant: shown.variant(variant),
            inputs,
          })),
        };
      }),
      pagination: null,
      messages: [...messages, ...unknown.map((id) => notFound(ids, id))],
    },
  };
};
