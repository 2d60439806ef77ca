import { defineEvents, type EventOf } from './define-events.ts';
import { count, instant, text } from './fields.ts';

/** The subscription as it was then; its address as it may be shown. */
const subscription = { name: text, topic: text, targetUrl: text };
const trouble = { ...subscription, errorMessage: text.nullable(), at: instant };

/** What staff are told (docs/rules/webhooks.md#telling-staff). Stream `webhookHealth-<subscription id>`. */
export const webhookHealthEvents = defineEvents('webhooks', {
  WebhookReceiverFailed: { ...trouble, failuresInARow: count },
  /** `givenUpCount`: of all time; `deliveries`: those that staff have not been told of. */
  WebhookDeliveriesGivenUp: { ...trouble, deliveries: count, givenUpCount: count },
  WebhookReceiverRecovered: {
    ...subscription,
    troubledSince: instant,
    /** Of all time. */
    givenUpCount: count,
    at: instant,
  },
});
export type WebhookHealthEvent = EventOf<typeof webhookHealthEvents>;
