import type { OrderLine } from '#events/invoice.fields.ts';
import type { TaxReference } from '#reference/reference.ts';
import { percentOf, type Minor } from '#values/money.ts';
import { findRegion } from '#values/region.ts';

/** Where goods go, as far as tax is concerned. */
export interface TaxPlace {
  readonly countryCode: string;
  readonly regionCode: string | null;
}

/** A custom line; `amount` is per unit. */
export interface CustomItem extends TaxPlace {
  readonly amount: Minor;
  readonly quantity: number;
  readonly taxGroupId: string | null;
  /** Default: where there is a tax group. */
  readonly isTaxable?: boolean | undefined;
}

/** Taxed with a group only, as a whole line, at the group's rate for where it goes. */
export const taxedItem = (
  { amount, quantity, taxGroupId, isTaxable: wanted = true, countryCode, regionCode: given }: CustomItem,
  tax: TaxReference,
) => {
  const lineTotal = amount * quantity;
  const isTaxable = wanted && taxGroupId !== null;
  const regionCode = given === null ? null : (findRegion(countryCode, given)?.regionCode ?? given);
  const taxRate = isTaxable ? tax.rate(taxGroupId, { countryCode, regionCode, postalCode: null }) : 0;
  return { lineTotal, isTaxable, taxRate, tax: percentOf(lineTotal, taxRate) };
};

/** Something that goes with a unit of what is written by hand, and changes what it costs. */
export interface WrittenAddon {
  readonly key: string;
  readonly value: string;
  readonly priceAdjustment: Minor;
  readonly costAdjustment: Minor;
  readonly skuSuffix: string | null;
}

/** A custom item for goods that the catalogue does not have. Amounts are per unit. */
export interface WrittenItem {
  readonly name: string;
  readonly sku: string;
  readonly amount: Minor;
  readonly cost: Minor;
  readonly quantity: number;
  readonly taxGroupId: string | null;
  readonly isTaxable?: boolean | undefined;
  readonly isPhysical: boolean;
  /** Those without a key or a value count for nothing. */
  readonly addons: readonly WrittenAddon[];
}

/** One unit with its add-ons. */
const writtenUnit = ({
  sku,
  amount,
  cost,
  addons,
}: Pick<WrittenItem, 'sku' | 'amount' | 'cost' | 'addons'>) => {
  const counted = addons.filter(({ key, value }) => key !== '' && value !== '');
  const suffixes = counted.flatMap(({ skuSuffix }) => skuSuffix ?? []);
  return {
    sku: [...(sku === '' ? [] : [sku]), ...suffixes].join('-'),
    unitPrice: counted.reduce((sum, { priceAdjustment }) => sum + priceAdjustment, amount),
    cost: counted.reduce((sum, { costAdjustment }) => sum + costAdjustment, cost),
    chosen: counted.map(({ key, value }) => ({ optionName: key, valueName: value })),
  };
};

/** What cannot be sold so: an add-on may take something off, but not more than there is. */
export const writtenProblems = (item: WrittenItem): readonly string[] =>
  writtenUnit(item).unitPrice < 0 ? ['addons: must be a unit that costs 0 or more'] : [];

/**
 * The line of an order (docs/rules/manual-orders.md#lines-written-by-hand), in the store's currency. Its add-ons are in
 * its price, its cost and its SKU.
 */
export const writtenLine = (
  id: string,
  item: WrittenItem,
  place: TaxPlace,
  reference: TaxReference,
): OrderLine => {
  const { name, quantity, taxGroupId, isTaxable: wanted, isPhysical } = item;
  const { sku, unitPrice, cost, chosen } = writtenUnit(item);
  const { lineTotal, isTaxable, taxRate, tax } = taxedItem(
    { amount: unitPrice, quantity, taxGroupId, isTaxable: wanted, ...place },
    reference,
  );
  return {
    id,
    kind: 'custom',
    basketLineId: null,
    productId: null,
    productRootId: null,
    taxGroupId,
    sku,
    name,
    productRootName: name,
    selectedOptions: chosen,
    quantity,
    unitPrice,
    lineTotal,
    discount: 0,
    tax,
    taxRate,
    isTaxable,
    isDigital: !isPhysical,
    costInStoreCurrency: cost,
    lineTotalInStoreCurrency: lineTotal,
  };
};
