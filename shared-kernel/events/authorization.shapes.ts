import { z } from 'zod';
import { count, currencyCode, guid, instant, minor, text } from './fields.ts';
import { invoiceName, risk } from './invoice.fields.ts';

/** An ask to capture or to void, and how many others of the invoice are still under way once it has ended. */
const ended = { paymentId: guid, provider: text, code: text, message: text, asksLeft: count };

/** Money that a provider has set aside and not taken yet: in the invoice's stream. */
export const authorizationShapes = {
  /** The payment's id is that of the money once it is captured: `PaymentCaptured` takes it over. */
  PaymentAuthorized: {
    ...invoiceName,
    attemptId: guid.nullable(),
    paymentId: guid,
    provider: text,
    method: text,
    transactionId: text,
    amount: minor,
    currency: currencyCode,
    authorizedAt: instant,
    /** Until when it can be captured; null where the provider does not say. */
    expiresAt: instant.nullable(),
    /** The session that it was authorised in. */
    sessionId: text.exactOptional(),
    /** The method that was saved with it. */
    keptMethodId: guid.exactOptional(),
    risk: risk.exactOptional(),
    /** The invoice is open, all that it owes is set aside now, and it was not sold before: the sale stands on it. */
    isSale: z.literal(true).exactOptional(),
  },
  /** Recorded before a provider is asked to take the money; the capture's id is the provider's idempotency key. */
  CaptureAttempted: {
    captureId: guid,
    paymentId: guid,
    provider: text,
    amount: minor,
    currency: currencyCode,
    by: text,
    attemptedAt: instant,
  },
  /** The provider's no: the money is still set aside. */
  CaptureDeclined: { captureId: guid, ...ended, declinedAt: instant },
  /** Recorded before a provider is asked to let the money go; the void's id is the provider's idempotency key. */
  VoidAttempted: { voidId: guid, paymentId: guid, provider: text, by: text, attemptedAt: instant },
  VoidDeclined: { voidId: guid, ...ended, declinedAt: instant },
  /** The money is the payer's again: let go by the shop, or by the provider when its time was over. */
  AuthorizationReleased: {
    ...invoiceName,
    paymentId: guid,
    provider: text,
    transactionId: text,
    amount: minor,
    currency: currencyCode,
    reason: z.enum(['voided', 'expired']),
    releasedAt: instant,
    asksLeft: count,
    /** Nothing is left that the sale could stand on. */
    isLast: z.literal(true).exactOptional(),
  },
};
