import type { ProtocolProducts, ShownProduct, ShownVariant } from '#agents/protocol-catalogue.ts';
import type { ProtocolMessage } from '#agents/protocol-parts.ts';
import type { LookupCatalogBody } from '#contracts/agent-catalogue.contract.ts';
import type { ProductVariant } from '#events/catalogue.events.ts';
import { featuredOf, itemNamed, type NamedItem } from '#reference/named-item.ts';
import type { SoldProduct } from '#reference/reference.ts';
import { quoted, variantsMeeting } from './agent-product.ts';
import { questionOf, type AgentQuestion } from './agent-view.ts';
import type { CatalogueSources, Found } from './catalogue-sources.ts';

/** What an identifier stands for. */
interface Named {
  readonly id: string;
  readonly place: number;
  readonly product: SoldProduct;
  readonly variant: ProductVariant;
  readonly match: 'exact' | 'featured';
}

/** The variant that an identifier leads to, if it meets the filters. */
const variantNamed = (
  question: AgentQuestion,
  { product, variant: named }: NamedItem,
): ProductVariant | undefined => {
  const met = variantsMeeting(question, product) ?? [];
  const variant = named ?? featuredOf(question.view.reference, product, met);
  return variant && met.includes(variant) ? variant : undefined;
};

/** What identifiers stand for, as this agent sees it; what filters leave out is not among it. */
const lookedUp = async (
  { reference, openView }: CatalogueSources,
  question: AgentQuestion,
  ids: readonly string[],
) => {
  const { view, categoryIds, priceBounds } = question;
  const isFiltered = categoryIds !== undefined || priceBounds !== undefined;
  const inView = openView(view);
  const found = ids.map((id) => (isFiltered ? undefined : inView.named(id)));
  const others: Named[] = [];
  const unknown = new Set<string>();
  ids.forEach((id, place) => {
    if (found[place]) return;
    const item = itemNamed(reference.catalogue, id);
    const variant = item && variantNamed(question, item);
    if (!item) unknown.add(id);
    else if (variant)
      others.push({ id, place, product: item.product, variant, match: item.variant ? 'exact' : 'featured' });
  });
  const show = await inView.showing(others.map(({ product }) => product));
  for (const { id, place, product, variant, match } of others) {
    const shown = show(product);
    const inputs = [{ id, match }];
    const one = { product: shown.product, variants: [{ variant: shown.variant(variant), inputs }] };
    found[place] = isFiltered ? one : inView.keepNamed(id, product, one);
  }
  return { found: found.filter((one) => one !== undefined), unknown: [...unknown] };
};

/** A variant that is there already has one more identifier, if it has not been asked for by that before. */
const withVariant = (
  variants: readonly ShownVariant[],
  { variant, inputs = [] }: ShownVariant,
): readonly ShownVariant[] => {
  const place = variants.findIndex((one) => one.variant.id === variant.id);
  const before = variants[place];
  if (!before) return [...variants, { variant, inputs }];
  const known = before.inputs ?? [];
  const further = inputs.filter(({ id }) => known.every((one) => one.id !== id));
  return variants.with(place, { variant, inputs: [...known, ...further] });
};

/** Each product once, in the order in which the first of its identifiers comes. */
const eachOnce = (found: readonly ShownProduct[]): readonly ShownProduct[] => {
  if (new Set(found.map(({ product }) => product.id)).size === found.length) return found;
  const products = new Map<string, ShownProduct>();
  for (const one of found) {
    const before = products.get(one.product.id);
    const variants = before && one.variants.reduce(withVariant, before.variants);
    products.set(one.product.id, variants ? { product: before.product, variants } : one);
  }
  return [...products.values()];
};

const notFound = (ids: readonly string[], id: string): ProtocolMessage => ({
  type: 'info',
  code: 'not_found',
  content: `Nothing that can be bought here is called ${quoted(id)}.`,
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
  const { found, unknown } = await lookedUp(sources, question, ids);
  return {
    result: {
      capabilities: ['dev.ucp.shopping.catalog.lookup'],
      products: eachOnce(found),
      pagination: null,
      messages: [...question.messages, ...unknown.map((id) => notFound(ids, id))],
    },
  };
};
