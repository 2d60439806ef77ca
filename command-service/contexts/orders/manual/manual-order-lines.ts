import {
  sendProducts,
  type ManualOrderProduct,
  type Leaving,
  type SentProduct,
} from '#command/pricing/manual-order-products.ts';
import { writtenProblems, type WrittenItem } from '#command/pricing/custom-item.ts';
import type { StockHold } from '#events/checkout.events.ts';
import { refuseProblems } from '#kernel/entity.ts';
import { Rejection } from '#kernel/rejection.ts';
import { sourceWarehouses } from '#reference/availability.ts';
import type { Reference, SellableVariant } from '#reference/reference.ts';
import type { Destination } from '#values/address.ts';
import type { StoreSettings } from '#values/store-settings.ts';

/** A custom line, and the warehouse that sends it. */
export interface GivenItem extends WrittenItem {
  readonly warehouseId: string | null;
  readonly shippingOptionId: string | null;
}

export interface GivenProduct extends Omit<ManualOrderProduct, 'sellable'> {
  readonly productId: string;
}

export interface GivenLines {
  readonly products: readonly GivenProduct[];
  readonly items: readonly GivenItem[];
}

interface FoundLines {
  readonly products: readonly SentProduct[];
  readonly items: readonly (GivenItem & { readonly leaving: Leaving | null })[];
  readonly holds: readonly StockHold[];
}

type Place = Pick<GivenItem, 'warehouseId' | 'shippingOptionId'>;
type Named = Place & Pick<GivenItem, 'taxGroupId'>;

/** References of an item that do not exist. */
export const unknownNames = (
  { taxGroupId, warehouseId, shippingOptionId }: Named,
  { tax, shipping }: Pick<Reference, 'tax' | 'shipping'>,
): readonly string[] => {
  const option = shippingOptionId === null ? undefined : shipping.option(shippingOptionId);
  const isElsewhere = option && warehouseId !== null && option.warehouseId !== warehouseId;
  return [
    ...(taxGroupId !== null && !tax.group(taxGroupId) ? ['taxGroupId: must be an existing tax group'] : []),
    ...(warehouseId !== null && !shipping.warehouse(warehouseId)
      ? ['warehouseId: must be an existing warehouse']
      : []),
    ...(shippingOptionId !== null && !option
      ? ['shippingOptionId: must be an existing shipping option']
      : []),
    ...(isElsewhere ? ['shippingOptionId: must be a shipping option of that warehouse'] : []),
  ];
};

/** The same for a product, which only some warehouses stock. */
export const unknownOfProduct = (
  { productId, warehouseId, shippingOptionId }: Place & { readonly productId: string | null },
  reference: Reference,
): readonly string[] => {
  const sellable = productId === null ? undefined : reference.catalogue.variant(productId);
  const unknown = unknownNames({ taxGroupId: null, warehouseId, shippingOptionId }, reference);
  if (productId !== null && !sellable) return ['productId: must be an existing product', ...unknown];
  if (!sellable || sellable.root.isDigitalProduct || unknown.length > 0) return unknown;
  const sources = sourceWarehouses(reference, sellable);
  const option = shippingOptionId === null ? undefined : reference.shipping.option(shippingOptionId);
  const from = option?.warehouseId ?? null;
  const isStocked = (id: string | null): boolean => id === null || sources.includes(id);
  return [
    ...(isStocked(warehouseId) ? [] : ['warehouseId: must be a warehouse that stocks the product']),
    ...(isStocked(warehouseId) && !isStocked(from)
      ? ['shippingOptionId: must be an option of a warehouse that stocks the product']
      : []),
  ];
};

export const noLine = 'lineItems: must be at least one line, here or in customItems';

const problemsOf = ({ products, items }: GivenLines, reference: Reference): readonly string[] => [
  ...(products.length + items.length === 0 ? [noLine] : []),
  ...products.flatMap((product, index) =>
    unknownOfProduct(product, reference).map((problem) => `lineItems.${index}.${problem}`),
  ),
  ...items.flatMap((item, index) =>
    [...unknownNames(item, reference), ...writtenProblems(item)].map(
      (problem) => `customItems.${index}.${problem}`,
    ),
  ),
];

/** The default is the shop's first warehouse (docs/rules/manual-orders.md#orders). */
const leavingFrom = (
  { warehouseId, shippingOptionId }: Place,
  { shipping }: Pick<Reference, 'shipping'>,
): Leaving => {
  const given = shippingOptionId === null ? undefined : shipping.option(shippingOptionId);
  if (given) return { warehouseId: given.warehouseId, option: given };
  const firstOf = (id: string) => shipping.optionsOf(id).find(({ isEnabled }) => isEnabled) ?? null;
  if (warehouseId !== null) return { warehouseId, option: firstOf(warehouseId) };
  const all = shipping.warehouses();
  const first = all.find(({ id }) => firstOf(id) !== null) ?? all[0];
  return first ? { warehouseId: first.id, option: firstOf(first.id) } : { warehouseId: null, option: null };
};

const isUnnamed = ({ warehouseId, shippingOptionId }: Place): boolean =>
  warehouseId === null && shippingOptionId === null;

const outOfStock = ({ root }: SellableVariant, requestedQuantity = 0, availableQuantity = 0): Rejection =>
  new Rejection(
    'out-of-stock',
    `${root.rootName}: ${requestedQuantity} wanted, ${availableQuantity} available.`,
    { requestedQuantity, availableQuantity },
  );

/**
 * Resolves the lines of an order to products and warehouses. Reference state advises; stock decides when it is
 * reserved. Errors: Rejections `invalid-request`, naming everything that does not exist, and `out-of-stock`.
 */
export const findLines = (
  given: GivenLines,
  destination: Destination,
  { reference, settings }: { readonly reference: Reference; readonly settings: () => StoreSettings },
): FoundLines => {
  refuseProblems(problemsOf(given, reference));
  const products = given.products.flatMap(({ productId, ...wanted }): ManualOrderProduct[] => {
    const sellable = reference.catalogue.variant(productId);
    return sellable ? [{ sellable, ...wanted }] : [];
  });
  const { sent, holds, unshippable } = sendProducts(reference, products, destination, settings());
  const isStranded = unshippable.filter(({ reason }) => reason === 'destination');
  refuseProblems(isStranded.map(({ lineId, message }) => `lineItems.${lineId}.productId: ${message}`));
  for (const { lineId, requestedQuantity, availableQuantity } of unshippable) {
    const product = products[Number(lineId)];
    if (product) throw outOfStock(product.sellable, requestedQuantity, availableQuantity);
  }
  const isSending = sent.some(({ leaving }) => leaving !== null);
  const items = given.items.map((item) => ({
    ...item,
    leaving: isSending && isUnnamed(item) ? null : leavingFrom(item, reference),
  }));
  return { products: sent, items, holds };
};
