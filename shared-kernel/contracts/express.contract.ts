import { z } from 'zod';
import {
  addressInput,
  chosenMethod,
  offeredMethod,
  optionalText,
  pagesAfterwards,
  paymentResponse,
  wishForDefault,
  wishToSave,
} from './checkout.contract.ts';
import { savedMethodsResponse } from './saved-methods.contract.ts';
import { freeForm } from '#fields/free-form.ts';

/** Bodies of what wallets and widgets ask (docs/rules/express-checkout.md). */

/** As wallets name the parts of an address, or as the rest of checkout does. */
const walletAddress = addressInput.omit({ firstName: true, lastName: true, company: true }).extend({
  fullName: optionalText,
  line1: optionalText,
  line2: optionalText,
  city: optionalText,
  region: optionalText,
});
export type WalletAddress = z.output<typeof walletAddress>;

const customer = z.object({
  email: optionalText,
  phone: optionalText,
  fullName: optionalText,
  shippingAddress: walletAddress.nullish(),
  billingAddress: walletAddress.nullish(),
});

/** What the customer is stands in `customerData`, or at the top. */
export const expressBody = customer.extend({
  ...chosenMethod,
  paymentToken: z.string().min(1),
  paymentIntentId: optionalText,
  acceptTerms: z.boolean().nullish(),
  ...pagesAfterwards,
  customerData: customer.nullish(),
  providerData: freeForm(z.record(z.string(), z.unknown())).nullish(),
});
export type ExpressBody = z.output<typeof expressBody>;

export const expressResponse = paymentResponse
  .pick({
    success: true,
    code: true,
    invoiceId: true,
    paymentId: true,
    transactionId: true,
    redirectUrl: true,
    clientSecret: true,
    confirmationUrl: true,
    errorMessage: true,
  })
  .extend({
    message: z.string(),
    status: z.enum(['completed', 'pending', 'unknown']),
    errorCode: z.string().nullable(),
  });
export type ExpressResponse = z.output<typeof expressResponse>;

/** `amount` and `currency` of a caller are ignored. */
export const expressIntentBody = z.object(chosenMethod);

export const expressIntentResponse = z.object({
  success: z.boolean(),
  code: z.string().nullable(),
  message: z.string(),
  clientSecret: z.string().nullable(),
  sdkConfig: z.record(z.string(), z.unknown()),
  paymentIntentId: z.string().nullable(),
  errorMessage: z.string().nullable(),
});

export const expressMethodsResponse = z.array(
  offeredMethod.pick({
    providerAlias: true,
    methodAlias: true,
    displayName: true,
    iconHtml: true,
    icon: true,
    methodType: true,
    sortOrder: true,
  }),
);

/** Amounts as the invoice will have them, in the shopper's currency. */
export const expressConfigResponse = z.object({
  success: z.literal(true),
  message: z.string(),
  currency: z.string(),
  amount: z.number(),
  subTotal: z.number(),
  shipping: z.number(),
  tax: z.number(),
  decimalPlaces: z.int(),
  countryCode: z.string(),
  storeName: z.string(),
  methods: z.array(
    z.object({
      providerAlias: z.string(),
      methodAlias: z.string(),
      displayName: z.string(),
      methodType: z.string().nullable(),
      sdkUrl: z.string().nullable(),
      adapterUrl: z.string().nullable(),
      sdkConfig: z.record(z.string(), z.unknown()),
    }),
  ),
});

export const widgetParams = z.object({ providerAlias: z.string().min(1).max(100) });

export const createOrderBody = z.object({
  sessionId: optionalText,
  methodAlias: optionalText,
  acceptTerms: z.boolean().nullish(),
  ...pagesAfterwards,
  ...wishToSave,
});

export const createOrderResponse = z.object({
  success: z.boolean(),
  code: z.string().nullable(),
  message: z.string(),
  orderId: z.string().nullable(),
  invoiceId: z.string(),
  clientToken: z.string().nullable(),
  /** With these the provider's script goes on, where it does not by a token. */
  clientSecret: z.string().nullable(),
  sdkConfig: z.record(z.string(), z.unknown()),
  errorMessage: z.string().nullable(),
});

/** What else the widget says goes to the provider. */
export const captureOrderBody = z
  .object({
    orderId: z.string().min(1).max(255),
    invoiceId: z.guid().toLowerCase().nullish(),
    methodAlias: optionalText,
    ...wishToSave,
    ...wishForDefault,
  })
  .catchall(z.unknown());

export const walletBody = z.object({
  validationUrl: z.string().min(1).max(2000),
  displayName: optionalText,
  providerAlias: optionalText,
});

/** The provider's own, unchanged. */
export const walletResponse = z.record(z.string(), z.unknown());

/** Ways to pay for the caller; `providers` and `savedPaymentMethods` repeat them. */
export const paymentOptionsResponse = z.object({
  success: z.literal(true),
  message: z.string(),
  standard: z.array(offeredMethod),
  express: z.array(offeredMethod),
  saved: savedMethodsResponse,
  providers: z.array(offeredMethod),
  savedPaymentMethods: savedMethodsResponse,
  hasSavedPaymentMethods: z.boolean(),
  canSavePaymentMethods: z.boolean(),
});
