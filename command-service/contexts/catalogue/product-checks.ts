import { summaryOf, type Finding, type ShopCheck } from '#command/engine/shop-check.ts';
import { hasSource, isPurchasable, type Supplies } from '#reference/availability.ts';
import type { CatalogueReference, SoldProduct } from '#reference/reference.ts';

interface ProductCheck extends Omit<ShopCheck, 'look' | 'severity'> {
  /** What is wrong with a product, in words; null: nothing. */
  readonly problem: (product: SoldProduct, supplies: Supplies) => string | null;
}

const MAX_DESCRIPTION = 250;

/** Ways to show an option that need a picture, or at least a colour, of every value. */
const shownByMedia = /image|swatch|colou?r/i;

const valuesWithoutMedia = ({ root }: SoldProduct): readonly string[] =>
  root.options
    .filter(({ optionUiAlias }) => optionUiAlias !== null && shownByMedia.test(optionUiAlias))
    .flatMap(({ name, values }) =>
      values
        .filter(({ hexValue, mediaKey }) => hexValue === null && mediaKey === null)
        .map((value) => `${name}: ${value.name}`),
    );

/**
 * The SKUs of variants that no warehouse can send, for example because none of the product's warehouses has a stock
 * row for them.
 */
const skusWithoutSource = ({ id: rootId, root, variants }: SoldProduct, supplies: Supplies) =>
  root.isDigitalProduct
    ? []
    : variants.filter((variant) => !hasSource(supplies, { rootId, root, variant })).map(({ sku }) => sku);

const checks: readonly ProductCheck[] = [
  {
    alias: 'products-missing-images',
    name: 'Products without an image',
    description: 'Products that have no image, neither of their own nor of a variant.',
    icon: 'icon-picture',
    sortOrder: 100,
    summary: summaryOf('product has no image', 'products have no image', 'Every product has an image.'),
    problem: ({ root, variants }) =>
      root.images.length > 0 || variants.some(({ images }) => images.length > 0) ? null : 'No image',
  },
  {
    alias: 'products-missing-warehouses',
    name: 'Products without a warehouse',
    description: 'Goods of which some variant is sent by no warehouse.',
    icon: 'icon-home',
    sortOrder: 200,
    summary: summaryOf(
      'product has no warehouse',
      'products have no warehouse',
      'Every product that is shipped has a warehouse.',
    ),
    problem: (product, supplies) => {
      const skus = skusWithoutSource(product, supplies);
      return skus.length === 0 ? null : `No warehouse sends ${skus.join(', ')}`.slice(0, MAX_DESCRIPTION);
    },
  },
  {
    alias: 'unpublished-products',
    name: 'Products that cannot be bought',
    description: 'Products of which no variant is for sale.',
    icon: 'icon-eye',
    sortOrder: 300,
    summary: summaryOf(
      'product cannot be bought',
      'products cannot be bought',
      'Every product can be bought.',
    ),
    problem: ({ variants }) => (variants.some(isPurchasable) ? null : 'No variant is for sale'),
  },
  {
    alias: 'option-values-missing-media',
    name: 'Option values without a picture',
    description: 'Options that are shown by pictures or colours and have values with neither.',
    icon: 'icon-colorpicker',
    sortOrder: 400,
    summary: summaryOf(
      'product has option values without a picture',
      'products have option values without a picture',
      'Every option value that is shown by a picture has one.',
    ),
    problem: (product) => {
      const missing = valuesWithoutMedia(product);
      return missing.length === 0 ? null : missing.join(', ').slice(0, MAX_DESCRIPTION);
    },
  },
];

const findingOf = ({ id, root, variants }: SoldProduct, description: string): Finding => ({
  id,
  name: root.rootName,
  description,
  editPath: `/products/${id}`,
  imageUrl: root.images[0] ?? variants.find(({ images }) => images.length > 0)?.images[0] ?? null,
});

/** What may be wrong with the catalogue. */
export const productChecks = (catalogue: CatalogueReference, supplies: Supplies): readonly ShopCheck[] =>
  checks.map(({ problem, ...check }) => ({
    ...check,
    severity: 'warning',
    *look() {
      for (const product of catalogue.products()) {
        const wrong = problem(product, supplies);
        yield wrong === null ? null : findingOf(product, wrong);
      }
    },
  }));
