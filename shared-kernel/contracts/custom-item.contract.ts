import { z } from 'zod';
import {
  amount,
  country,
  name,
  optionalGuid,
  optionalText,
  region,
  type CurrencyOf,
} from '#fields/body-fields.ts';
import { otherNames } from './management.contract.ts';

/** `price` is another name of `amount`; both are of one unit. */
const withAmount = (given: unknown): unknown => {
  if (typeof given !== 'object' || given === null) return given;
  const { price, ...item } = given as Readonly<Record<string, unknown>>;
  return price === undefined || 'amount' in item ? item : { ...item, amount: price };
};

const MAX_ADDONS = 20;

/** A line that staff write by hand; `amount` and `adjustment` say what money of it may be. */
export const writtenItem = (money: {
  readonly amount: z.ZodType<number>;
  readonly adjustment: z.ZodType<number>;
}) =>
  z
    .preprocess(
      withAmount,
      z.object({
        name,
        sku: z.string().trim().max(250).default(''),
        amount: money.amount,
        cost: money.amount.default(0),
        quantity: z.int().min(1).max(9_999_999).default(1),
        taxGroupId: optionalGuid.default(null),
        isTaxable: z.boolean().optional(),
        isPhysicalProduct: z.boolean().default(true),
        warehouseId: optionalGuid.default(null),
        shippingOptionId: optionalGuid.default(null),
        addons: z
          .array(
            z.object({
              key: z.string().trim().max(250).default(''),
              value: z.string().trim().max(250).default(''),
              priceAdjustment: money.adjustment.default(0),
              costAdjustment: money.adjustment.default(0),
              skuSuffix: optionalText.default(null),
            }),
          )
          .max(MAX_ADDONS)
          .default([]),
      }),
    )
    .meta(otherNames('price'));

/** A custom line, and its destination. `amount` is per unit. */
export const customItemBody = (currency: CurrencyOf) =>
  z.object({
    amount: amount(currency),
    quantity: z.int().min(1).max(9_999_999).default(1),
    taxGroupId: optionalGuid.default(null),
    isTaxable: z.boolean().optional(),
    countryCode: country,
    regionCode: region.default(null),
  });

export const customItemResponse = z.object({
  lineTotal: z.number(),
  isTaxable: z.boolean(),
  taxRate: z.number(),
  tax: z.number(),
  total: z.number(),
});
