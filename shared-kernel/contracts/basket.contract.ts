import { z } from 'zod';
const guid = z.guid().toLowerCase();

/** A value of an add-on; `choiceId` and `optionValueId` are other names for `valueId`. */
const addonChoice = z
  .object({
    optionId: guid,
    valueId: guid.nullish(),
    choiceId: guid.nullish(),
    optionValueId: guid.nullish(),
  })
  .transform(({ optionId, ...named }, context) => {
    const valueId = named.valueId ?? named.choiceId ?? named.optionValueId;
    if (valueId !== undefined && valueId !== null) return { optionId, valueId };
    context.addIssue({ code: 'custom', path: ['valueId'], message: 'must be a GUID' });
    return z.NEVER;
  });

/** No product has more add-ons than this; what is sent twice counts once. */
const MAX_ADDON_CHOICES = 200;

export const addonChoices = z.array(addonChoice).max(MAX_ADDON_CHOICES).default([]);

/** POST /basket/add. */
export const addToBasket = z.object({
  productId: guid,
  quantity: z.int().positive().default(1),
  addons: addonChoices,
});

/** POST /basket/update. `id` is another name for `lineItemId`; 0 or less removes the line. */
export const updateBasketLine = z
  .object({ lineItemId: guid.optional(), id: guid.optional(), quantity: z.int() })
  .transform((body, context) => {
    const lineItemId = body.lineItemId ?? body.id;
    if (lineItemId !== undefined) return { lineItemId, quantity: body.quantity };
    context.addIssue({ code: 'custom', path: ['lineItemId'], message: 'must be a GUID' });
    return z.NEVER;
  });

export const lineItemParams = z.object({ lineItemId: guid });

const amount = z.number();
const formatted = z.string();

/** A line of the basket (docs/rules/basket.md#lines); discounts are lines too, with negative amounts. */
export const lineItemResponse = z.object({
  id: z.string(),
  productId: z.string().nullable(),
  productRootId: z.string().nullable(),
  sku: z.string(),
  name: z.string(),
  productRootName: z.string(),
  selectedOptions: z.array(z.object({ optionName: z.string(), valueName: z.string() })),
  quantity: z.int(),
  unitPrice: amount,
  lineTotal: amount,
  formattedUnitPrice: formatted,
  formattedLineTotal: formatted,
  displayUnitPrice: amount,
  displayLineTotal: amount,
  formattedDisplayUnitPrice: formatted,
  formattedDisplayLineTotal: formatted,
  /** Of lines of products: with their add-ons. */
  displayUnitPriceWithAddons: amount.optional(),
  displayLineTotalWithAddons: amount.optional(),
  formattedDisplayUnitPriceWithAddons: formatted.optional(),
  formattedDisplayLineTotalWithAddons: formatted.optional(),
  taxRate: z.number(),
  isTaxable: z.boolean(),
  lineItemType: z.enum(['Product', 'Discount', 'Addon']),
  dependentLineItemSku: z.string().nullable(),
  dependantLineItemSku: z.string().nullable(),
  parentLineItemId: z.string().nullable(),
  imageUrl: z.string().nullable(),
  /** Of add-ons: what was chosen. */
  optionId: z.string().optional(),
  valueId: z.string().optional(),
  /** Of discounts: the rule, and what it takes from. */
  discountId: z.string().optional(),
  discountTarget: z.enum(['product', 'order', 'shipping']).optional(),
});
export type LineItemResponse = z.output<typeof lineItemResponse>;

/** One entry a rule, also for a code that takes nothing off just now. The amount is positive, display currency. */
export const appliedDiscountResponse = z.object({
  id: z.string(),
  name: z.string(),
  code: z.string().nullable(),
  amount,
  formattedAmount: formatted,
  isAutomatic: z.boolean(),
});
export type AppliedDiscountResponse = z.output<typeof appliedDiscountResponse>;

export const addressResponse = z.object({
  name: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  company: z.string().nullable(),
  addressOne: z.string(),
  addressTwo: z.string().nullable(),
  townCity: z.string(),
  countyState: z.string().nullable(),
  regionCode: z.string().nullable(),
  postalCode: z.string(),
  countryCode: z.string(),
  country: z.string(),
  email: z.string().nullable(),
  phone: z.string().nullable(),
});
export type AddressResponse = z.output<typeof addressResponse>;

const basketProblem = z.object({
  message: z.string(),
  relatedLineItemId: z.string().nullable(),
  isShippingError: z.boolean(),
  isStockError: z.boolean(),
});
export type BasketProblem = z.output<typeof basketProblem>;

const currencyFields = {
  currencySymbol: z.string(),
  displayCurrencyCode: z.string(),
  displayCurrencySymbol: z.string(),
  exchangeRate: z.number(),
};

/** The basket, for storefront and checkout alike (docs/rules/basket.md#answers). */
export const basketFields = z.object({
  id: z.string(),
  isEmpty: z.literal(false),
  lineItems: z.array(lineItemResponse),
  itemCount: z.int(),
  subTotal: amount,
  adjustedSubTotal: amount,
  discount: amount,
  tax: amount,
  shipping: amount,
  total: amount,
  effectiveShippingTaxRate: z.number().nullable(),
  currency: z.string(),
  ...currencyFields,
  formattedSubTotal: formatted,
  formattedAdjustedSubTotal: formatted,
  formattedDiscount: formatted,
  formattedTax: formatted,
  formattedShipping: formatted,
  formattedTotal: formatted,
  displaySubTotal: amount,
  displayDiscount: amount,
  displayTax: amount,
  displayShipping: amount,
  displayTotal: amount,
  formattedDisplaySubTotal: formatted,
  formattedDisplayDiscount: formatted,
  formattedDisplayTax: formatted,
  formattedDisplayShipping: formatted,
  formattedDisplayTotal: formatted,
  displayPricesIncTax: z.boolean(),
  taxInclusiveDisplaySubTotal: amount,
  taxInclusiveDisplayShipping: amount,
  taxInclusiveDisplayDiscount: amount,
  formattedTaxInclusiveDisplaySubTotal: formatted,
  formattedTaxInclusiveDisplayShipping: formatted,
  formattedTaxInclusiveDisplayDiscount: formatted,
  taxIncludedMessage: z.string().nullable(),
  isTaxEstimated: z.boolean(),
  taxEstimationReason: z.string().nullable(),
  billingAddress: addressResponse.nullable(),
  shippingAddress: addressResponse.nullable(),
  appliedDiscounts: z.array(appliedDiscountResponse),
  warnings: z.array(z.string()),
  errors: z.array(basketProblem),
});
export type BasketFields = z.output<typeof basketFields>;

/** A basket without lines, or none at all. The checkout shows no more than this. */
export const emptyBasketFields = z.object({ isEmpty: z.literal(true), ...currencyFields });
export type EmptyBasketFields = z.output<typeof emptyBasketFields>;

/** GET /basket of the checkout. */
export const checkoutBasketFields = z.union([basketFields, emptyBasketFields]);

const envelope = { success: z.literal(true), message: z.string() };

/** The storefront's empty form adds what a cart icon reads. */
export const emptyStorefrontBasketFields = emptyBasketFields.extend({
  lineItems: z.array(lineItemResponse),
  itemCount: z.literal(0),
  subTotal: amount,
  discount: amount,
  tax: amount,
  shipping: amount,
  total: amount,
  formattedTotal: formatted,
  warnings: z.array(z.string()),
});
export type EmptyStorefrontBasketFields = z.output<typeof emptyStorefrontBasketFields>;

/** add, update, remove and clear: the basket's fields, and the same basket again under `basket`. */
export const basketMutationResponse = z.union([
  basketFields.extend({ ...envelope, basket: basketFields }),
  emptyStorefrontBasketFields.extend({ ...envelope, basket: emptyStorefrontBasketFields.nullable() }),
]);

/** Size and price of a basket: GET /basket/count, and `basket` in GET /context. */
export const basketSummary = z.object({
  itemCount: z.int(),
  total: amount,
  formattedTotal: formatted,
  displayTotal: amount,
  formattedDisplayTotal: formatted,
});
export type BasketSummary = z.output<typeof basketSummary>;
