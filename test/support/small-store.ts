import { derivedId } from '#kernel/ids.ts';

export interface SmallStoreOptions {
  /** Units of each product, by SKU; null: sells without limit. */
  readonly stock: Readonly<Record<string, number | null>>;
  /** A code that takes ten per cent off, and how often it may be used. */
  readonly code?: { readonly code: string; readonly totalUsageLimit: number };
}

/** The id of a product's only variant, as storefront paths use it. */
export const variantId = (sku: string): string => derivedId('variants', sku);

/** An add-on of every product, as a body of `basket/add` names it. */
export const wrapped = { optionId: derivedId('wrap'), valueId: derivedId('gold') };

const wrap = {
  id: wrapped.optionId,
  name: 'Wrap',
  isVariant: false,
  values: [{ id: wrapped.valueId, name: 'Gold', priceAdjustment: 0.75, costAdjustment: 0.25 }],
};

const product = (sku: string, stock: number | null, price: number) => ({
  key: sku,
  rootName: `Product ${sku}`,
  rootUrl: sku,
  taxGroup: 'vat',
  warehouses: [{ warehouse: 'hull' }],
  options: [wrap],
  variants: [
    {
      id: variantId(sku),
      sku,
      price,
      costOfGoods: 1,
      ...(stock === null ? {} : { stock: [{ warehouse: 'hull', stock }] }),
    },
  ],
});

/** A store file with one warehouse in Hull, parcels for 5 pounds and 20 % tax. */
export const smallStore = ({ stock, code }: SmallStoreOptions): object => ({
  formatVersion: 1,
  settings: { name: 'Small', storeCurrencyCode: 'GBP', defaultShippingCountry: 'GB' },
  taxGroups: [{ key: 'vat', name: 'VAT', taxPercentage: 20 }],
  warehouses: [{ key: 'hull', name: 'Hull', address: { countryCode: 'GB' } }],
  shippingOptions: [{ key: 'parcel', name: 'Parcel', warehouse: 'hull', fixedCost: 5 }],
  products: Object.entries(stock).map(([sku, units], index) =>
    product(sku, units, (499 + 300 * index) / 100),
  ),
  discounts: code
    ? [
        {
          key: 'code',
          name: code.code,
          category: 'AmountOffOrder',
          method: 'Code',
          valueType: 'Percentage',
          value: 10,
          ...code,
        },
      ]
    : [],
});
