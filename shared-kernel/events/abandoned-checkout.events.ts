import { z } from 'zod';
import { recoveryMailKinds } from '#values/abandoned-checkout.ts';
import { defineEvents, personal, repeated, type EventOf } from './define-events.ts';
import {
  address,
  count,
  currencyCode,
  day,
  decimalText,
  guid,
  instant,
  minor,
  quantity,
  text,
} from './fields.ts';

/** A line as it was left behind; amounts in minor units of the currency that the shopper saw. */
export const abandonedLine = z.object({
  lineId: guid,
  productId: guid,
  productRootId: guid,
  sku: text,
  name: text,
  productRootName: text,
  selectedOptions: z.array(z.object({ optionName: text, valueName: text })),
  imageUrl: text.nullable(),
  quantity,
  unitPrice: minor,
  lineTotal: minor,
});
export type AbandonedLine = z.output<typeof abandonedLine>;

/** What the basket comes to: as the shopper saw it, and in the store's currency. Minor units. */
export const abandonedFigures = z.object({
  currency: currencyCode,
  total: minor,
  storeCurrency: currencyCode,
  totalInStoreCurrency: minor,
  /** Units of `currency` for one of the store's. */
  rate: decimalText,
  /** Products, add-ons left out. */
  lineCount: count,
});
export type AbandonedFigures = z.output<typeof abandonedFigures>;

/** The link in force. Its token is worked out from the record and this number, and is nowhere in the log. */
export const recoveryLink = z.object({
  /** Counted from 1 for each record. */
  number: z.int().positive(),
  issuedAt: instant,
  expiresAt: instant,
});
export type RecoveryLink = z.output<typeof recoveryLink>;

/** What stands in each event, so that its readers look nothing up. */
const record = {
  basketId: guid,
  /** When the basket's e-mail address was first known. */
  openedAt: instant,
  openedDay: day,
  /** Of the first time, however often it was abandoned since. */
  firstAbandonedAt: instant,
};

const buyer = {
  /** Of the e-mail address, where it is known. */
  customerId: guid.nullable(),
  email: personal(text),
  customerName: personal(text),
};

const shapes = {
  CheckoutAbandoned: {
    ...record,
    ...buyer,
    billingAddress: personal(address),
    shippingAddress: personal(address),
    figures: abandonedFigures,
    lines: z.array(abandonedLine),
    lastActivityAt: instant,
    /** The last event of the basket's stream that this reckons with. */
    basketRevision: z.int(),
    abandonedAt: instant,
    isFirst: z.boolean(),
    mailsSent: count,
    link: recoveryLink,
  },
  /** The shopper is back in the basket by themselves: active again, and the link stays good. */
  CheckoutResumed: { ...record, resumedAt: instant, basketRevision: z.int() },
  /** A mail is due, whether or not one is configured. */
  RecoveryMailRequested: {
    ...record,
    ...buyer,
    /** Its place in the sequence of three. */
    sequence: z.int().min(1).max(3),
    kind: z.enum(recoveryMailKinds),
    /** With this one; staff may have more than three sent. */
    mailsSent: z.int().positive(),
    requestedBy: z.enum(['schedule', 'staff']),
    requestedAt: instant,
    abandonedAt: instant,
    figures: abandonedFigures,
    lines: repeated('CheckoutAbandoned', z.array(abandonedLine)),
    link: recoveryLink,
  },
  /** The link before it is dead. One comes with each abandonment as well. */
  RecoveryLinkIssued: { ...record, link: recoveryLink, reason: z.enum(['resend', 'regenerate']) },
  /** By its link, which is used up. */
  CheckoutRecovered: {
    ...record,
    ...buyer,
    linkNumber: z.int().positive(),
    recoveredAt: instant,
    /** The first time that this record was. */
    isFirst: z.boolean(),
    /** What the visitor had in the browser before: it is let go. */
    replacedBasketId: guid.nullable(),
    figures: abandonedFigures,
  },
  /** Its sale is confirmed. */
  CheckoutConverted: {
    ...record,
    ...buyer,
    invoiceId: guid,
    convertedAt: instant,
    /** Null: it was bought without the link. */
    recoveredAt: instant.nullable(),
    figures: abandonedFigures,
  },
  CheckoutRecoveryExpired: {
    ...record,
    expiredAt: instant,
    /** The first time that this record did. */
    isFirst: z.boolean(),
    figures: abandonedFigures,
  },
  /** Cleared, or merged into another basket: there is nothing to go back to. */
  AbandonedBasketLost: { ...record, lostAt: instant },
};

/**
 * Checkouts that were left behind (docs/rules/abandoned-checkouts.md). Stream `abandonedCheckout-<id>`, which begins
 * when one is found abandoned; the data subject is that of its basket.
 */
export const abandonedCheckoutEvents = defineEvents('abandoned-checkouts', shapes);
export type AbandonedCheckoutEvent = EventOf<typeof abandonedCheckoutEvents>;
