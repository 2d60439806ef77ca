import { z } from 'zod';
import { errorBody } from './error.contract.ts';
import { guid, instant, name, notes, optionalText } from '#fields/body-fields.ts';

/** Payments and refunds as the backoffice sees them (docs/rules/payments.md, docs/rules/refunds.md). */

const amount = z.number();

/** Money that the backoffice has seen arrive: decimals of the invoice's currency. */
export const manualPaymentBody = z.object({
  amount: z.number().positive(),
  paymentMethod: name,
  description: notes.nullish(),
});

/** A day begins at midnight UTC. */
const dayOrInstant = z.union(
  [z.iso.date().transform((day) => `${day}T00:00:00.000Z`), instant],
  'must be an ISO 8601 date, or date and time with its offset',
);

/** The most invoices that one request pays. */
const MAX_INVOICES = 1000;

export const batchMarkPaidBody = z.object({
  invoiceIds: z.array(guid).min(1).max(MAX_INVOICES),
  paymentMethod: name,
  reference: optionalText.default(null),
  dateReceived: dayOrInstant.nullable().default(null),
});

export const batchMarkPaidResponse = z.object({
  success: z.boolean(),
  successCount: z.int(),
  messages: z.array(z.string()),
  paymentIds: z.array(z.string()),
  results: z.array(
    z.object({
      invoiceId: z.string(),
      success: z.boolean(),
      paymentId: z.string().nullable(),
      amount: z.number().nullable(),
      message: z.string(),
    }),
  ),
});

/** A refusal of it: a 400 tells in the answer's own form that nothing was paid. */
export const batchMarkPaidRefusal = errorBody.extend(
  z
    .object({
      successCount: z.literal(0),
      messages: z.array(z.string()),
      paymentIds: z.array(z.never()),
      results: z.array(z.never()),
    })
    .partial().shape,
);

export const refundBody = z.object({
  /** Decimals of the invoice's currency; without one, everything that is left. */
  amount: amount.nullish(),
  reason: z.string().trim().min(1).max(5000),
  isManualRefund: z.boolean().nullish(),
});
export type RefundBody = z.output<typeof refundBody>;

/** Decimals of the invoice's currency; without an amount, what is due, at most what is authorised. */
export const captureBody = z.object({ amount: amount.nullish() });

export const refundPreviewBody = z.object({
  amount: amount.positive().nullish(),
  /** Of the payment; an amount wins. */
  percentage: z.number().min(0).max(100).nullish(),
});
export type RefundPreviewBody = z.output<typeof refundPreviewBody>;

/** A payment or refund, as what records it answers; the amount of a refund is negative. */
export const paymentRow = z.object({
  id: z.string(),
  parentPaymentId: z.string().nullable(),
  paymentType: z.string(),
  amount,
  transactionId: z.string().nullable(),
  paymentSuccess: z.boolean(),
  status: z.string(),
});

export const refundPreview = z.object({
  paymentId: z.string(),
  refundableAmount: amount,
  requestedAmount: amount,
  currencyCode: z.string(),
  supportsPartialRefund: z.boolean(),
  supportsRefund: z.boolean(),
  providerAlias: z.string(),
  formattedRefundableAmount: z.string(),
  formattedRequestedAmount: z.string(),
});

/** A payment, a refund, or an attempt at a payment, as lists show it. */
export const paymentDetail = paymentRow.extend({
  invoiceId: z.string(),
  currencyCode: z.string(),
  amountInStoreCurrency: amount.nullable(),
  storeCurrencyCode: z.string(),
  paymentProviderAlias: z.string(),
  paymentMethod: z.string().nullable(),
  description: z.string().nullable(),
  /** What of a payment may still be given back. */
  refundableAmount: amount,
  /** Of one that is authorised: until when it can be captured, where the provider says so. */
  authorizedUntil: z.string().nullable(),
  riskScore: z.number().nullable(),
  riskScoreSource: z.string().nullable(),
  riskLevel: z.string().nullable(),
  settlementCurrency: z.string().nullable(),
  settlementAmount: amount.nullable(),
  settlementExchangeRate: z.string().nullable(),
  extendedData: z.object({
    dispute: z
      .object({ status: z.string(), id: z.string(), amount: amount.nullable(), openedAt: z.string() })
      .nullable(),
  }),
  dateCreated: z.string(),
});
export type PaymentDetail = z.output<typeof paymentDetail>;

export const paymentStatus = z.object({
  invoiceId: z.string(),
  invoiceNumber: z.string(),
  paymentStatus: z.string(),
  paymentStatusDisplay: z.string(),
  currencyCode: z.string(),
  total: amount,
  amountPaid: amount,
  amountRefunded: amount,
  balanceDue: amount,
  creditDue: amount,
  givenBack: amount,
  /** Set aside by providers, and to be captured. */
  authorizedAmount: amount,
  /** Until when at the latest the first of it can be captured. */
  authorizedUntil: z.string().nullable(),
  balanceStatus: z.enum(['Balanced', 'Due', 'Credit']),
  balanceStatusLabel: z.string(),
  maxRiskScore: z.number().nullable(),
  maxRiskScoreSource: z.string().nullable(),
  riskLevel: z.string().nullable(),
});

export const formFields = z.array(
  z.object({ name: z.string(), label: z.string(), type: z.string(), required: z.boolean() }),
);
