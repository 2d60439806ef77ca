import { z } from 'zod';
import { defineEvents, personal, type EventOf } from './define-events.ts';
import { guid, instant, text } from './fields.ts';

/**
 * The ways to pay that a customer has had kept for later, at their providers: never a card's own data. Stream
 * `savedMethods-<customerId>`; the data subject is the customer.
 */
const shapes = {
  PaymentMethodSaved: {
    methodId: guid,
    provider: text,
    /** As the provider calls it. */
    providerMethodId: personal(text),
    providerCustomerId: personal(text),
    methodType: z.enum(['Card', 'PayPal', 'BankAccount', 'Other']),
    cardBrand: personal(text),
    last4: personal(text),
    expiryMonth: personal(z.int()),
    expiryYear: personal(z.int()),
    billingName: personal(text),
    billingEmail: personal(text),
    isVerified: z.boolean(),
    isDefault: z.boolean(),
    /** From where the customer agreed to it. */
    consentIpAddress: personal(text),
    savedAt: instant,
  },
  DefaultPaymentMethodChanged: { methodId: guid, changedAt: instant },
  PaymentMethodUsed: { methodId: guid, invoiceId: guid, usedAt: instant },
  /** `defaultId`: the default from now on; null where none is left. */
  PaymentMethodRemoved: { methodId: guid, provider: text, defaultId: guid.nullable(), removedAt: instant },
  /** Their providers have forgotten them, or have been asked for long enough. */
  PaymentMethodsForgotten: { methodIds: z.array(guid), isLast: z.boolean() },
};

/** Since 2, personal fields share a seal. */
export const paymentMethodEvents = defineEvents('payment-methods', shapes, { PaymentMethodSaved: 2 });
export type PaymentMethodEvent = EventOf<typeof paymentMethodEvents>;
