import type { DialectContext, Forms, Json } from '../dialects.ts';
import type {
  CatalogueMedia,
  CatalogueOptionValue,
  CatalogueProduct,
  CatalogueVariant,
  ProtocolProduct,
  ProtocolProducts,
} from '../protocol-catalogue.ts';
import { currentWording, olderWording, present, unlessEmpty, type Wording } from './parts.ts';

const writeMedia = (media: readonly CatalogueMedia[]): readonly Json[] | undefined =>
  unlessEmpty(media.map(({ type, url, altText }) => present({ type, url, alt_text: altText })));

const writeVariant = (variant: CatalogueVariant): Json =>
  present({
    id: variant.id,
    sku: variant.sku,
    title: variant.title,
    description: { plain: variant.description },
    price: variant.price,
    list_price: variant.listPrice,
    availability: { available: variant.availability.isAvailable, status: variant.availability.status },
    options: unlessEmpty(variant.options),
    media: writeMedia(variant.media),
    inputs: variant.inputs,
  });

const writeValue = ({ label, isAvailable, exists }: CatalogueOptionValue): Json =>
  present({ label, available: isAvailable, exists });

const writeProduct = (product: CatalogueProduct): Json =>
  present({
    id: product.id,
    handle: product.handle,
    title: product.title,
    description: { plain: product.description },
    url: product.url,
    categories: unlessEmpty(product.categories.map((value) => ({ value, taxonomy: 'merchant' }))),
    price_range: product.priceRange,
    media: writeMedia(product.media),
    options: unlessEmpty(
      product.options.map(({ name, values }) => ({ name, values: values.map(writeValue) })),
    ),
    variants: product.variants.map(writeVariant),
    selected: product.selected,
  });

const productsIn =
  (wording: Wording) =>
  ({ products, pagination, messages, capabilities }: ProtocolProducts, context: DialectContext): Json =>
    present({
      ucp: wording.envelope(capabilities, context),
      products: products.map(writeProduct),
      pagination:
        pagination &&
        present({
          has_next_page: pagination.cursor !== null,
          cursor: pagination.cursor,
          total_count: pagination.totalCount,
        }),
      messages: unlessEmpty(messages.map(wording.message)),
    });

const productIn =
  (wording: Wording) =>
  ({ product, messages, capabilities }: ProtocolProduct, context: DialectContext): Json => {
    const ucp = wording.envelope(capabilities, context);
    const written = messages.map(wording.message);
    if (product === null) return { ucp: { ...ucp, status: 'error' }, messages: written };
    return present({ ucp, product: writeProduct(product), messages: unlessEmpty(written) });
  };

/** What a search or a lookup found (docs/rules/agent-dialects.md#catalogue). */
export const productsForms: Forms<ProtocolProducts> = {
  '2026-04-08': productsIn(currentWording),
  '2026-01-11': productsIn(olderWording),
  draft: productsIn(currentWording),
};

/** One product, with its choices. */
export const productForms: Forms<ProtocolProduct> = {
  '2026-04-08': productIn(currentWording),
  '2026-01-11': productIn(olderWording),
  draft: productIn(currentWording),
};
