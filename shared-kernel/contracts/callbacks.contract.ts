import { z } from 'zod';

/** Callbacks of payment providers (docs/rules/payment-callbacks.md). */

export const callbackEventTypes = [
  'PaymentCompleted',
  'PaymentFailed',
  'PaymentCancelled',
  'RefundCompleted',
  'DisputeOpened',
  'DisputeResolved',
  'Unknown',
] as const;

export const callbackParams = z.object({ providerAlias: z.string().min(1).max(250) });

export const callbackAnswer = z.object({
  message: z.enum(['Webhook processed', 'Already processed', 'Ignored']),
  eventType: z.enum(callbackEventTypes).optional(),
});
