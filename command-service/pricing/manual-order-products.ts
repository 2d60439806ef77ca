import { Decimal } from 'decimal.js';
import type { StockHold } from '#events/checkout.events.ts';
import type { OrderLine } from '#events/invoice.fields.ts';
import type { Units } from '#reference/availability.ts';
import type {
  Reference,
  ReferenceShippingOption,
  SellableVariant,
  TaxReference,
} from '#reference/reference.ts';
import type { Destination } from '#values/address.ts';
import { percentOf, type Minor } from '#values/money.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import { groupShipments, weightOf, type ShipmentGroup, type UnshippableLine } from './group-shipments.ts';
import { productOf } from './product-line.ts';
import { autoSelectOption, quoteOption } from './quote-shipping.ts';
import { holdsOf } from './shipping-plan.ts';

/** Where a line leaves from, and by which option; null where the shop has none. */
export interface Leaving {
  readonly warehouseId: string | null;
  readonly option: ReferenceShippingOption | null;
}

/** A product that staff sell without a basket. What they name of where it leaves from wins; null: as in a sale. */
export interface ManualOrderProduct {
  readonly sellable: SellableVariant;
  readonly quantity: number;
  /** Of one unit, store currency; null: that of the catalogue. */
  readonly price: Minor | null;
  readonly warehouseId: string | null;
  readonly shippingOptionId: string | null;
}

/** Units of a product that leave together; from nowhere where nothing is sent. */
export interface SentProduct extends Pick<ManualOrderProduct, 'sellable' | 'quantity' | 'price'> {
  readonly leaving: Leaving | null;
}

interface ManualOrderShipping {
  readonly sent: readonly SentProduct[];
  /** What the order reserves, where stock is tracked. */
  readonly holds: readonly StockHold[];
  /** What cannot be sent; `lineId` is the place of the product in the order. */
  readonly unshippable: readonly UnshippableLine[];
}

type Supplies = Pick<Reference, 'shipping' | 'stock'>;

const isNamed = ({ warehouseId, shippingOptionId }: ManualOrderProduct): boolean =>
  warehouseId !== null || shippingOptionId !== null;

/** It comes from nowhere else. */
const onlyFrom = (sellable: SellableVariant, warehouseId: string): SellableVariant => ({
  ...sellable,
  root: { ...sellable.root, warehouses: [{ warehouseId, priorityOrder: 0 }] },
});

const shipmentLine = (
  { sellable, quantity, warehouseId, shippingOptionId }: ManualOrderProduct,
  place: number,
  { shipping }: Supplies,
) => {
  const option = shippingOptionId === null ? undefined : shipping.option(shippingOptionId);
  const from = option?.warehouseId ?? warehouseId;
  const whole = from === null ? sellable : onlyFrom(sellable, from);
  return { lineId: String(place), quantity, sellable: whole, addons: [] };
};

/** Groups with the option that was named for all their goods; null: none was. */
type NamedGroup = ShipmentGroup & { readonly named: string | null };

/**
 * From where products leave, and how, as in a sale: warehouses by priority and stock, one group for what can travel
 * together, by the option that the shop would choose (docs/rules/manual-orders.md#orders). What staff have named takes
 * its stock first.
 */
export const sendProducts = (
  supplies: Supplies,
  products: readonly ManualOrderProduct[],
  destination: Destination,
  { shippingAutoSelectStrategy }: Pick<StoreSettings, 'shippingAutoSelectStrategy'>,
): ManualOrderShipping => {
  const placed = products.map((product, place) => ({ product, place }));
  const inOrder = placed.toSorted(
    (one, other) => Number(isNamed(other.product)) - Number(isNamed(one.product)),
  );
  const taken: Units = new Map();
  const groups: NamedGroup[] = [];
  const unshippable: UnshippableLine[] = [];
  const asNamed = Map.groupBy(
    inOrder,
    ({ product }) => `${product.warehouseId ?? ''} ${product.shippingOptionId ?? ''}`,
  );
  for (const together of asNamed.values()) {
    const lines = together.map(({ product, place }) => shipmentLine(product, place, supplies));
    const named = together[0]?.product.shippingOptionId ?? null;
    const found = groupShipments(supplies, lines, destination, taken);
    groups.push(...found.groups.map((group) => ({ ...group, named })));
    unshippable.push(...found.unshippable);
  }
  const optionOf = ({ named, options }: NamedGroup): ReferenceShippingOption | null => {
    const id = named ?? autoSelectOption(options, shippingAutoSelectStrategy)?.shippingOptionId ?? null;
    return id === null ? null : (supplies.shipping.option(id) ?? null);
  };
  const partsOf = (place: number) =>
    groups.flatMap((group) => {
      const leaving = { warehouseId: group.warehouseId, option: optionOf(group) };
      return group.lines
        .filter(({ lineId }) => lineId === String(place))
        .map(({ quantity }) => ({ quantity, leaving }));
    });
  const sent = placed.flatMap(({ product: { sellable, quantity, price }, place }): SentProduct[] =>
    sellable.root.isDigitalProduct
      ? [{ sellable, quantity, price, leaving: null }]
      : partsOf(place).map((part) => ({ sellable, price, ...part })),
  );
  return { sent, holds: holdsOf(groups), unshippable };
};

/** What the goods of an order cost to send by an option, by their weight; staff may send them where it does not go. */
export const shippingCostOf = (
  products: readonly SentProduct[],
  { option }: Leaving,
  destination: Destination,
): Minor => {
  const goods = products.filter(({ leaving }) => leaving !== null);
  if (goods.length === 0 || option === null) return 0;
  const weight = goods.reduce(
    (sum, { sellable, quantity }) => sum.plus(weightOf({ sellable, addons: [] }).times(quantity)),
    new Decimal(0),
  );
  return quoteOption(option, destination, weight)?.cost ?? 0;
};

/** The line of an order, in the store's currency, taxed at the rate of the product's group. */
export const productLine = (
  id: string,
  { sellable, quantity, price }: SentProduct,
  destination: Destination,
  tax: TaxReference,
): OrderLine => {
  const { root, variant } = sellable;
  const unitPrice = price ?? variant.price;
  const lineTotal = unitPrice * quantity;
  const isTaxable = root.taxGroupId !== null;
  const taxRate = root.taxGroupId === null ? 0 : tax.rate(root.taxGroupId, destination);
  return {
    id,
    ...productOf(sellable),
    quantity,
    unitPrice,
    lineTotal,
    discount: 0,
    tax: percentOf(lineTotal, taxRate),
    taxRate,
    isTaxable,
    costInStoreCurrency: variant.costOfGoods,
    lineTotalInStoreCurrency: lineTotal,
  };
};
