import { z } from 'zod';
import { isCurrency } from '#values/currency.ts';
import { enumOf } from '#fields/body-fields.ts';

/** Callbacks of payment providers (docs/rules/payment-callbacks.md). */

const callbackEventTypes = [
  'PaymentCompleted',
  'PaymentAuthorized',
  'PaymentSuspected',
  'SetupCompleted',
  'PaymentFailed',
  'PaymentCancelled',
  'RefundCompleted',
  'RefundFailed',
  'DisputeOpened',
  'DisputeResolved',
  'Unknown',
] as const;

export const callbackParams = z.object({ providerAlias: z.string().min(1).max(250) });

export const callbackResponse = z.object({
  message: z.enum(['Webhook processed', 'Already processed', 'Ignored']),
  eventType: z.enum(callbackEventTypes).optional(),
});

const given = z.string().trim().min(1).max(250).nullish();

/** What an event of the built-in form holds beside its type. */
const simulatedData = z.object({
  transactionId: given,
  sessionId: given,
  invoiceId: z.guid().toLowerCase().nullish(),
  amount: z.number().min(0).nullish(),
  currency: z.string().trim().toUpperCase().refine(isCurrency, 'must be a currency').nullish(),
  reason: given,
  refundId: given,
  disputeId: given,
  outcome: z.enum(['won', 'lost']).nullish(),
  riskScore: z.number().min(0).max(100).nullish(),
  riskScoreSource: given,
});
export type SimulatedData = z.output<typeof simulatedData>;

export const simulateCallbackParams = z.object({ alias: z.string().min(1).max(250) });

export const simulateCallbackBody = simulatedData.extend({
  eventType: enumOf({
    PaymentCompleted: 0,
    PaymentFailed: 1,
    PaymentCancelled: 2,
    RefundCompleted: 3,
    DisputeOpened: 4,
    DisputeResolved: 5,
    Unknown: 6,
    RefundFailed: 7,
    PaymentAuthorized: 8,
    PaymentSuspected: 9,
    SetupCompleted: 10,
  }),
  /** Of the event; a new one where it is missing. */
  eventId: given,
  /** Goes before the fields beside it. */
  customPayload: simulatedData.nullish(),
});

export const simulateCallbackResponse = z.object({
  success: z.boolean(),
  eventTypeDetected: z.enum(callbackEventTypes),
  actionsPerformed: z.array(z.string()),
  /** As a provider would have sent it. */
  payload: z.string(),
  errorMessage: z.string().nullable(),
});
