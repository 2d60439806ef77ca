import type { ProductVariant } from '#events/catalogue.events.ts';
import { isOnSale, isPurchasable, type Supplies } from './availability.ts';
import type { CatalogueReference, SoldProduct } from './reference.ts';

/** What an identifier stands for: a product, or one variant of it. */
export interface NamedItem {
  readonly product: SoldProduct;
  readonly variant: ProductVariant | null;
}

type Catalogue = Pick<CatalogueReference, 'product' | 'variant' | 'variantBySku'>;

/** The variants that can be bought at all, in the order of the shop. */
export const purchasable = ({ variants }: SoldProduct): readonly ProductVariant[] =>
  variants.filter(isPurchasable);

/**
 * What can be bought under an identifier: the id of a product, else that of a variant, else an SKU
 * (docs/rules/agent-catalogue.md#identifiers).
 */
export const itemNamed = (catalogue: Catalogue, id: string): NamedItem | undefined => {
  const guid = id.toLowerCase();
  const product = catalogue.product(guid);
  if (product) return product.variants.some(isPurchasable) ? { product, variant: null } : undefined;
  const sellable = catalogue.variant(guid) ?? catalogue.variantBySku(id);
  const root = sellable && catalogue.product(sellable.rootId);
  return root && isPurchasable(sellable.variant) ? { product: root, variant: sellable.variant } : undefined;
};

/** The one of these variants that their product is shown by: the default one or the first, if possible in stock. */
export const featuredOf = (
  supplies: Supplies,
  { id, root }: SoldProduct,
  variants: readonly ProductVariant[],
): ProductVariant | undefined => {
  const usual = variants.find(({ isDefault }) => isDefault);
  const preferred = usual ? [usual, ...variants] : variants;
  return preferred.find((variant) => isOnSale(supplies, { rootId: id, root, variant })) ?? preferred[0];
};
