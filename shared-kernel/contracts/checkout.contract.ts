import { z } from 'zod';
import { checkoutBasketFields } from './basket.contract.ts';
import { errorBody } from './error.contract.ts';
import { freeForm } from '#fields/free-form.ts';

/** Bodies of the checkout endpoints (docs/rules/shipping.md#choosing, docs/rules/checkout.md). */

/** A text that may be left out. */
export const optionalText = z.string().nullish();

/** An address as a caller may send it: everything optional, so that all problems can be told at once. */
export const addressInput = z.object({
  name: optionalText,
  firstName: optionalText,
  lastName: optionalText,
  company: optionalText,
  addressOne: optionalText,
  addressTwo: optionalText,
  townCity: optionalText,
  countyState: optionalText,
  regionCode: optionalText,
  postalCode: optionalText,
  countryCode: optionalText,
  phone: optionalText,
});
export type AddressInput = z.output<typeof addressInput>;

export const addressesBody = z.object({
  email: optionalText,
  billingAddress: addressInput.nullish(),
  shippingAddress: addressInput.nullish(),
  shippingSameAsBilling: z.boolean().nullish(),
  acceptsMarketing: z.boolean().nullish(),
  password: optionalText,
});
export type AddressesBody = z.output<typeof addressesBody>;

export const captureEmailBody = z.object({ email: optionalText });
export const capturedResponse = z.object({ success: z.literal(true), message: z.string() });

export const initializeBody = z.object({
  countryCode: optionalText,
  stateCode: optionalText,
  autoSelectShipping: z.boolean().nullish(),
  email: optionalText,
  previousShippingSelections: freeForm(z.record(z.string(), z.string())).nullish(),
});

export const shippingBody = z.object({
  selections: freeForm(z.record(z.string(), z.string())).nullish(),
  /** Accepted and ignored: the server charges its own quote. */
  quotedCosts: freeForm(z.record(z.string(), z.number())).nullish(),
  deliveryDates: freeForm(z.record(z.string(), z.string())).nullish(),
});

export const applyDiscountBody = z.object({ code: optionalText });

/** A rule that is on the basket, or one of its lines. */
export const discountParams = z.object({ discountId: z.guid().toLowerCase() });

/** What a change of checkout has caused to fall stands in `warnings`, here and in the basket. */
const changedResponse = z.object({
  success: z.literal(true),
  message: z.string(),
  basket: checkoutBasketFields,
  warnings: z.array(z.string()),
});

/** With the token of a shopper who gave a password. */
export const addressesResponse = changedResponse.extend({
  token: z.string().optional(),
  expiresUtc: z.string().optional(),
});

/** `discountDelta`: how far what is taken off differs from before, in the shopper's currency; never negative. */
export const discountResponse = changedResponse.extend({ discountDelta: z.number() });

const groupLine = z.object({
  id: z.string(),
  sku: z.string(),
  name: z.string(),
  productRootName: z.string(),
  selectedOptions: z.array(z.object({ optionName: z.string(), valueName: z.string() })),
  quantity: z.int(),
  amount: z.number(),
  formattedAmount: z.string(),
});

const offeredOption = z.object({
  id: z.string(),
  /** The same again. */
  selectionKey: z.string(),
  name: z.string(),
  cost: z.number(),
  formattedCost: z.string(),
  isSelected: z.boolean(),
  /** Null for a service of a carrier that the shop keeps no option for. */
  shippingOptionId: z.string().nullable(),
  providerKey: z.string(),
  serviceCode: z.string().nullable(),
  daysFrom: z.int(),
  daysTo: z.int(),
  isNextDay: z.boolean(),
  deliveryDescription: z.string(),
  estimatedDeliveryDate: z.string(),
  allowsDeliveryDateSelection: z.boolean(),
  minDeliveryDays: z.int().nullable(),
  maxDeliveryDays: z.int().nullable(),
  isFallbackRate: z.boolean(),
  fallbackReason: z.string().nullable(),
});

const shippingGroup = z.object({
  groupId: z.string(),
  groupName: z.string(),
  warehouseId: z.string(),
  lineItems: z.array(groupLine),
  shippingOptions: z.array(offeredOption),
  selectedShippingOptionId: z.string().nullable(),
  selectedDeliveryDate: z.string().nullable(),
  rateError: z.string().nullable(),
  hasFallbackRates: z.boolean(),
});

/** How a basket ships (docs/rules/shipping.md#groups), in the shopper's currency. */
const shippingFields = z.object({
  shippingGroups: z.array(shippingGroup),
  combinedShippingTotal: z.number(),
  formattedCombinedShippingTotal: z.string(),
});
export type ShippingFields = z.output<typeof shippingFields>;

/** GET /shipping-groups: nothing changes, so warnings stand in the basket only. */
export const shippingGroupsResponse = changedResponse.omit({ warnings: true }).extend(shippingFields.shape);

export const shippingChosenResponse = changedResponse.extend(shippingFields.shape);

export const initializedResponse = shippingChosenResponse.extend({
  shippingAutoSelected: z.boolean(),
  currencyDecimalPlaces: z.int(),
  requiresAccount: z.boolean(),
});

export const termsParams = z.object({ key: z.string() });

/** `html` is safe to show as it is (docs/rules/checkout.md#pages). */
export const termsResponse = z.discriminatedUnion('success', [
  z.object({
    success: z.literal(true),
    message: z.string(),
    key: z.string(),
    title: z.string(),
    html: z.string(),
  }),
  errorBody,
]);

const invoiceId = z.guid().transform((id) => id.toLowerCase());

/** The invoice that a path names. */
export const invoiceParams = z.object({ invoiceId: z.guid().toLowerCase() });

/** What is paid with; the provider's first method where none is named. */
export const chosenMethod = { providerAlias: z.string().min(1), methodAlias: optionalText };

/** Keep what is paid with. Counts for who is signed in. */
export const wishToSave = { savePaymentMethod: z.boolean().nullish() };
export const wishForDefault = { setAsDefaultMethod: z.boolean().nullish() };

export const payBody = z.object({
  ...chosenMethod,
  /** Where the shopper goes afterwards; where that may be depends on the shop (values/return-address.ts). */
  returnUrl: z.string(),
  cancelUrl: z.string(),
  acceptTerms: z.boolean().nullish(),
  ...wishToSave,
});

const formData = freeForm(z.record(z.string(), z.string().max(10_000))).nullish();

/** Where the shopper goes on, if a bank wants to see them; without it, where `/pay` said. */
export const pagesAfterwards = { returnUrl: optionalText, cancelUrl: optionalText };

export const processPaymentBody = z.object({
  invoiceId,
  ...chosenMethod,
  ...pagesAfterwards,
  transactionId: optionalText,
  paymentMethodToken: optionalText,
  ...wishToSave,
  ...wishForDefault,
  formData,
});

export const processSavedPaymentBody = z.object({
  invoiceId: invoiceId.nullish(),
  savedPaymentMethodId: z.guid().transform((id) => id.toLowerCase()),
  ...pagesAfterwards,
  providerAlias: optionalText,
  /** Without an invoice: of the order that is placed. */
  acceptTerms: z.boolean().nullish(),
});

export const processDirectPaymentBody = z.object({
  ...chosenMethod,
  invoiceId: invoiceId.nullish(),
  /** Without an invoice: of the order that is placed. */
  acceptTerms: z.boolean().nullish(),
  formData,
});

const named = z.string().min(1).max(255).optional();

/** With what a payer comes back from a provider, which may add fields of its own. */
export const paymentReturnQuery = z
  .object({
    invoiceId: invoiceId.optional(),
    transactionId: named,
    sessionId: named,
    provider: named,
  })
  .catchall(z.unknown());

export const bankChallengeQuery = z.object({ sessionId: z.string().min(1).max(255) });

const integration = z.enum(['Redirect', 'HostedFields', 'Widget', 'DirectForm']);

/** What no provider of the shop has yet is null, false or empty (docs/rules/payments.md#methods). */
export const offeredMethod = z.object({
  alias: z.string(),
  /** The same again. */
  providerAlias: z.string(),
  displayName: z.string(),
  methodAlias: z.string(),
  iconHtml: z.string().nullable(),
  icon: z.null(),
  description: z.string().nullable(),
  integrationType: integration,
  supportsVaulting: z.boolean(),
  isExpressCheckout: z.boolean(),
  methodType: z.string().nullable(),
  sortOrder: z.int(),
});

export const paymentMethodsResponse = z.array(offeredMethod);

export type OfferedMethod = z.output<typeof offeredMethod>;

/**
 * `redirectUrl`: where the payment goes on, the confirmation page where nothing is left to pay, else null. What the
 * provider does not give is null, or empty.
 */
export const payResponse = z.object({
  success: z.boolean(),
  /** Why not (docs/errors.md). */
  code: z.string().nullable(),
  message: z.string(),
  errorMessage: z.string().nullable(),
  invoiceId: z.string(),
  redirectUrl: z.string().nullable(),
  clientSecret: z.string().nullable(),
  clientToken: z.string().nullable(),
  sessionId: z.string().nullable(),
  sdkConfig: z.record(z.string(), z.unknown()),
  /** The same again. */
  sdkConfiguration: z.record(z.string(), z.unknown()),
  integrationType: integration,
  providerAlias: z.string(),
  methodAlias: z.string(),
  formFields: z.array(
    z.object({ name: z.string(), label: z.string(), type: z.string(), required: z.boolean() }),
  ),
  /** Until when the goods are held without a payment; null: for good. */
  heldUntil: z.string().nullable(),
});

export type PayResponse = z.output<typeof payResponse>;

/** How a payment ended, as every payment endpoint answers it (docs/rules/payments.md#results). */
export const paymentResponse = z.object({
  success: z.boolean(),
  /** Why not (docs/errors.md). */
  code: z.string().nullable(),
  message: z.string(),
  errorMessage: z.string().nullable(),
  invoiceId: z.string(),
  paymentId: z.string().nullable(),
  transactionId: z.string().nullable(),
  status: z.enum(['Completed', 'Authorized', 'Failed', 'Pending', 'RequiresAction', 'Cancelled']),
  redirectUrl: z.string().nullable(),
  /** Of a payment that goes on in the provider's script: with it the page has it continue. */
  clientSecret: z.string().nullable(),
  confirmationUrl: z.string().nullable(),
  paymentMethodSaved: z.boolean(),
});
/** What is known of a payment when its payer is back. */
export const paymentReturnResponse = paymentResponse.pick({
  success: true,
  code: true,
  message: true,
  invoiceId: true,
  paymentId: true,
  status: true,
});

export const gaveUpResponse = z.object({
  success: z.literal(false),
  code: z.string().nullable(),
  message: z.string(),
  invoiceId: z.string(),
});

export type PaymentResponse = z.output<typeof paymentResponse>;
