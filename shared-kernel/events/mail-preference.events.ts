import { defineEvents, type EventOf } from './define-events.ts';
import { instant } from './fields.ts';

/**
 * What the reader at an e-mail address wants of the shop's mails (docs/rules/abandoned-checkouts.md#unsubscribing).
 * Stream `mailPreference-<id>`, whose id says nothing of the address: no field is personal, and it outlives what is
 * forgotten.
 */
export const mailPreferenceEvents = defineEvents('abandoned-checkouts', {
  RecoveryMailsUnsubscribed: { unsubscribedAt: instant },
});
export type MailPreferenceEvent = EventOf<typeof mailPreferenceEvents>;
