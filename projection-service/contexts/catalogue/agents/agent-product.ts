import { absoluteUrl } from '#agents/storefront-url.ts';
import type { CatalogueMedia, CatalogueProduct, CatalogueVariant } from '#agents/protocol-catalogue.ts';
import type { ChosenOption } from '#agents/protocol-parts.ts';
import { collection } from '#entities/collection.entity.ts';
import { productType } from '#entities/product-type.entity.ts';
import { requiredAddOns, valuesInOrder, variantOptions } from '#entities/product-options.ts';
import type { ProductVariant } from '#events/catalogue.events.ts';
import { isOnSale, productAvailability } from '#reference/availability.ts';
import { featuredOf, purchasable } from '#reference/named-item.ts';
import type { SoldProduct } from '#reference/reference.ts';
import type { Minor } from '#values/money.ts';
import { nameIn } from '../shop-names.ts';
import { hasPreviousPrice, priceShownIn } from '../shop-products.queries.ts';
import type { AgentQuestion, AgentView } from './agent-view.ts';

/** A product with more variants shows those that fit best. */
export const MAX_VARIANTS = 100;

const MAX_ECHO = 100;

/** What an agent has sent, as far as it is said again. */
export const quoted = (id: string): string => `"${id.length <= MAX_ECHO ? id : `${id.slice(0, MAX_ECHO)}…`}"`;

/** The variants of a product that meet the filters; undefined where it does not. */
export const variantsMeeting = (
  { categoryIds, priceBounds }: AgentQuestion,
  product: SoldProduct,
): readonly ProductVariant[] | undefined => {
  const { collectionIds, productTypeId, taxGroupId } = product.root;
  const isOfCategory = categoryIds?.some((id) => id === productTypeId || collectionIds.includes(id)) ?? true;
  if (!isOfCategory) return undefined;
  const bounds = priceBounds?.(taxGroupId);
  const all = purchasable(product);
  const met = bounds ? all.filter(({ price }) => price >= bounds.from && price <= bounds.to) : all;
  return met.length === 0 ? undefined : met;
};

/** The one that a product is shown by stands first. */
export const featuredFirst = (
  { reference }: AgentView,
  product: SoldProduct,
  variants: readonly ProductVariant[],
): readonly ProductVariant[] => {
  const featured = featuredOf(reference, product, variants);
  return featured ? [featured, ...variants.filter((one) => one !== featured)] : variants;
};

/** Whether it can be had: sent to the country of the context, if that names one. */
export const availabilityFor = (
  { reference, settings, location, isPlaced }: AgentView,
  { id, root }: SoldProduct,
  variant: ProductVariant,
): CatalogueVariant['availability'] => {
  const sellable = { rootId: id, root, variant };
  if (!isOnSale(reference, sellable)) return { isAvailable: false, status: 'out_of_stock' };
  if (requiredAddOns(root).length > 0) return { isAvailable: false, status: 'requires_buyer_input' };
  if (!isPlaced) return { isAvailable: true, status: 'in_stock' };
  const { canShipToLocation, hasStock } = productAvailability(reference, sellable, 1, location, settings);
  if (!canShipToLocation) return { isAvailable: false, status: 'not_deliverable' };
  return hasStock
    ? { isAvailable: true, status: 'in_stock' }
    : { isAvailable: false, status: 'out_of_stock' };
};

const pricing = (view: AgentView, { root }: SoldProduct) => {
  const { currency } = view.presentation.display;
  return (price: Minor) => ({ amount: priceShownIn(view, price, root.taxGroupId), currency });
};

const mediaOf = (
  view: AgentView,
  { root }: SoldProduct,
  images: readonly string[],
): readonly CatalogueMedia[] =>
  images.flatMap((image) => {
    const url = absoluteUrl(image, view.mediaBase);
    return url === null ? [] : [{ type: 'image', url, altText: root.rootName }];
  });

export const optionsOf = ({ selectedOptions }: ProductVariant): readonly ChosenOption[] =>
  selectedOptions.map(({ optionName, valueName }) => ({ name: optionName, label: valueName }));

/** A variant has no text of its own: what it is in words. */
const inWords = ({ root }: SoldProduct, options: readonly ChosenOption[]): string =>
  options.length === 0 ? root.rootName : options.map(({ name, label }) => `${name}: ${label}`).join(', ');

export const agentVariant = (
  view: AgentView,
  product: SoldProduct,
  variant: ProductVariant,
): CatalogueVariant => {
  const priceOf = pricing(view, product);
  const options = optionsOf(variant);
  const before = hasPreviousPrice(variant) ? variant.previousPrice : null;
  return {
    id: variant.id,
    sku: variant.sku,
    title: variant.name,
    description: inWords(product, options),
    price: priceOf(variant.price),
    listPrice: before === null ? null : priceOf(before),
    availability: availabilityFor(view, product, variant),
    options,
    media: mediaOf(view, product, variant.images),
  };
};

/** What a product is in, by name: its type and its collections. */
const categoriesOf = ({ reference }: AgentView, { root }: SoldProduct): readonly string[] =>
  [
    nameIn(reference, productType.category, root.productTypeId),
    ...root.collectionIds.map((id) => nameIn(reference, collection.category, id)),
  ].filter((name) => name !== null);

/** A product without its variants; its prices are those of all of them. */
export const agentProduct = (
  view: AgentView,
  product: SoldProduct,
  description: string,
): CatalogueProduct => {
  const { id, root } = product;
  const priceOf = pricing(view, product);
  const all = purchasable(product);
  const prices = all.map(({ price }) => price);
  const images =
    root.images.length > 0 ? root.images : (all.find((one) => one.images.length > 0)?.images ?? []);
  return {
    id,
    handle: root.rootUrl,
    title: root.rootName,
    description,
    url: absoluteUrl(`${view.storefront}/products/${encodeURIComponent(root.rootUrl)}`, view.mediaBase),
    categories: categoriesOf(view, product),
    priceRange: { min: priceOf(Math.min(...prices)), max: priceOf(Math.max(...prices)) },
    media: mediaOf(view, product, images),
    options: variantOptions(root).flatMap((option) => {
      const values = valuesInOrder(option).map(({ name }) => ({ label: name }));
      return values.length === 0 ? [] : [{ name: option.name, values }];
    }),
  };
};
