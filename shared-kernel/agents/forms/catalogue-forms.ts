import type { DialectContext, Forms, Json } from '../dialects.ts';
import type {
  CatalogueMedia,
  CatalogueOptionValue,
  CatalogueProduct,
  CatalogueVariant,
  ProtocolProduct,
  ProtocolProducts,
  ShownProduct,
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
  });

const shownJson = ({ product, variants, selected }: ShownProduct): Json =>
  present({
    ...writeProduct(product),
    variants: variants.map(({ variant, inputs }) => present({ ...writeVariant(variant), inputs })),
    selected,
  });

/**
 * JSON text of what is shown to many, for as long as it is the same. Of nothing else: a scavenge takes what such a map
 * holds for alive.
 */
const writtenOnce = <Part extends object>(write: (part: Part) => Json): ((part: Part) => string) => {
  const texts = new WeakMap<Part, string>();
  return (part) => {
    const known = texts.get(part);
    if (known !== undefined) return known;
    const text = JSON.stringify(write(part));
    texts.set(part, text);
    return text;
  };
};

const productText = writtenOnce(writeProduct);
const variantText = writtenOnce(writeVariant);

/** The text of an object with members, and one more. */
const withMember = (object: string, name: string, value: string): string =>
  `${object.slice(0, -1)},"${name}":${value}}`;

const listed = (texts: readonly string[]): string => `[${texts.join(',')}]`;

const textOfParts = ({ product, variants }: ShownProduct): string =>
  withMember(
    productText(product),
    'variants',
    listed(
      variants.map(({ variant, inputs }) => {
        const text = variantText(variant);
        return inputs ? withMember(text, 'inputs', JSON.stringify(inputs)) : text;
      }),
    ),
  );

const shownText = (shown: ShownProduct): string =>
  shown.kept ? (shown.kept.text ??= JSON.stringify(shownJson(shown))) : textOfParts(shown);

/** The text of an object with members, and a list: joined once, as each further step would copy all of it. */
const withList = (object: string, name: string, texts: readonly string[]): string => {
  const pieces = texts.length === 0 ? [''] : [...texts];
  pieces[0] = `${object.slice(0, -1)},"${name}":[${pieces[0]}`;
  pieces[pieces.length - 1] += ']}';
  return pieces.join(',');
};

/** Lists are long and asked for often: as text, of pieces that are written once. */
const productsIn =
  (wording: Wording) =>
  ({ products, pagination, messages, capabilities }: ProtocolProducts, context: DialectContext): string => {
    const besides = present({
      ucp: wording.envelope(capabilities, context),
      pagination:
        pagination &&
        present({
          has_next_page: pagination.cursor !== null,
          cursor: pagination.cursor,
          total_count: pagination.totalCount,
        }),
      messages: unlessEmpty(messages.map(wording.message)),
    });
    return withList(JSON.stringify(besides), 'products', products.map(shownText));
  };

/** How an answer without a product gives the reason, beside its messages. */
type SaysNothing = (messages: ProtocolProduct['messages']) => Json;

const onlyMessages: SaysNothing = () => ({});

/** In the form of the older version's refusals. */
const olderNothing: SaysNothing = ([first]) =>
  first ? { detail: first.content, code: first.code, error: first.code, message: first.content } : {};

const productIn =
  (wording: Wording, nothing: SaysNothing) =>
  ({ product, messages, capabilities }: ProtocolProduct, context: DialectContext): Json => {
    const ucp = wording.envelope(capabilities, context);
    const written = messages.map(wording.message);
    if (product === null)
      return { ucp: { ...ucp, status: 'error' }, ...nothing(messages), messages: written };
    return present({ ucp, product: shownJson(product), messages: unlessEmpty(written) });
  };

/** What a search or a lookup found, as JSON text (docs/rules/agent-dialects.md#catalogue). */
export const productsForms: Forms<ProtocolProducts, string> = {
  '2026-04-08': productsIn(currentWording),
  '2026-01-11': productsIn(olderWording),
  draft: productsIn(currentWording),
};

/** One product, with its choices. */
export const productForms: Forms<ProtocolProduct> = {
  '2026-04-08': productIn(currentWording, onlyMessages),
  '2026-01-11': productIn(olderWording, olderNothing),
  draft: productIn(currentWording, onlyMessages),
};
