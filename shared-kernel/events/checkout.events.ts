import { z } from 'zod';
import { defineEvents, personal, type EventOf } from './define-events.ts';
import {
  address,
  count,
  currencyCode,
  day,
  destination,
  guid,
  instant,
  minor,
  quantity,
  text,
} from './fields.ts';
import { invoiceContent } from './invoice.fields.ts';
import { shownUpsell } from './upsell.shapes.ts';
import { basketPricing, sessionStamp } from './pricing.fields.ts';

/** A shipping choice for one group, with the cost that will be charged. `optionKey` is `so:<guid>` or `dyn:…`. */
export const shippingChoice = z.object({
  groupId: guid,
  warehouseId: guid,
  optionKey: text,
  shippingOptionId: guid.nullable(),
  name: text,
  cost: minor,
  quotedAt: instant,
  deliveryDate: z.string().nullable(),
  /** The date was promised when it was chosen. */
  isDeliveryDateGuaranteed: z.literal(true).exactOptional(),
  /** What the shopper is told of how long it takes; left out where nothing is said. */
  deliveryDescription: text.exactOptional(),
  /** What the quote holds good for: a hash of goods and place. Choices of older releases do not say it. */
  quotedFor: text.exactOptional(),
  /** The carrier that quoted it: its quote holds for a while only. */
  carrier: text.exactOptional(),
});
export type ShippingChoice = z.output<typeof shippingChoice>;

/** Units of one variant in one warehouse that a placement holds; 0 gives back what an earlier one held there. */
export const stockHold = z.object({
  productId: guid,
  warehouseId: guid,
  quantity: quantity.or(z.literal(0)),
});
export type StockHold = z.output<typeof stockHold>;

/** What has been typed of the addresses, unchecked; null where nothing has been. */
const capturedAddress = {
  billingAddress: personal(address),
  shippingAddress: personal(address),
  shippingSameAsBilling: z.boolean(),
  acceptsMarketing: z.boolean(),
};
export type CapturedAddress = z.output<z.ZodObject<typeof capturedAddress>>;

/**
 * What the first e-mail address of a basket finds in it: from then on the basket can be abandoned. Missing later on,
 * and in older logs.
 */
const openedCheckout = z.object({
  at: instant,
  /** In the reporting time zone: where its figures belong. */
  day,
  /** Products, add-ons left out. */
  lineCount: count,
  /** Store currency. */
  total: minor,
  displayCurrency: currencyCode,
  /** The basket was emptied since it had its first one, which is when it opened. */
  isAgain: z.literal(true).exactOptional(),
});
export type OpenedCheckout = z.output<typeof openedCheckout>;

/** Checkout (docs/rules/checkout.md): the second half of a basket's stream. */
const shapes = {
  CheckoutAddressesChanged: {
    /** Of the e-mail address: giving it signs no one in. Null where none was given. */
    customerId: guid.nullable(),
    email: personal(text),
    billingAddress: personal(address),
    shippingAddress: personal(address),
    shippingSameAsBilling: z.boolean(),
    acceptsMarketing: z.boolean(),
    destination,
    /** False when the destination moved: the choice of shipping is open again. */
    keepsShipping: z.boolean(),
    opens: openedCheckout.exactOptional(),
    pricing: basketPricing,
  },
  /** Typed, and not sent as an address yet: it is there to go on from, and nothing is ordered with it. */
  CheckoutEmailCaptured: {
    email: personal(text),
    /** Under which the customer of the e-mail address is known, or will be: forgetting them reaches the basket. */
    customerId: guid.exactOptional(),
    opens: openedCheckout.exactOptional(),
    session: sessionStamp,
  },
  CheckoutAddressCaptured: { ...capturedAddress, session: sessionStamp },
  CheckoutDestinationChanged: { destination, pricing: basketPricing },
  ShippingSelected: { choices: z.array(shippingChoice), pricing: basketPricing },
  /**
   * The choices as they are once the goods or the place have changed: quoted for what there is now. `lost` are those
   * that are not offered any more for goods that are still there, with what the shopper is told.
   */
  ShippingRequoted: {
    choices: z.array(shippingChoice),
    lost: z.array(z.object({ groupId: guid, optionKey: text, name: text, reason: text })),
    pricing: basketPricing,
  },
  DiscountCodeApplied: { discountId: guid, code: text, name: text, pricing: basketPricing },
  /** A code fell away: it does not apply any more. */
  DiscountCodeRemoved: { discountId: guid, code: text, reason: text, pricing: basketPricing },
  /** The shopper does not want it. Without a code it is an automatic one, which stays off this basket from now on. */
  DiscountTakenOff: { discountId: guid, code: text.nullable(), name: text, pricing: basketPricing },
  /** An automatic discount that was on the basket is not any more; it may come back, unless it stays off. */
  AutomaticDiscountDropped: {
    discountId: guid,
    name: text,
    reason: text,
    staysOff: z.boolean(),
    pricing: basketPricing,
  },
  /** The shopper came by an advertiser's link that promised this. It takes the place of an earlier one of the line. */
  ReferralDiscountApplied: {
    lineId: guid,
    percentage: z.int().min(1).max(100),
    name: text,
    expiresAt: instant,
    pricing: basketPricing,
  },
  /** Its time is over; without a reason: the shopper does not want it. With its line it goes without a word. */
  ReferralDiscountRemoved: { lineId: guid, name: text, reason: text.nullable(), pricing: basketPricing },
  /** Opens the placement: until it ends the basket does not change, so that its addresses are those of the order. */
  OrderPlacementStarted: {
    placementId: guid,
    /** Of its driver: what a process with an earlier one still sends comes too late. */
    turn: z.int().positive().optional(),
    invoiceId: guid,
    /** The unpaid invoice of this basket that the new one replaces. */
    supersededInvoiceId: guid.nullable(),
    /** Last revision of the invoice numbers known then: a repeat looks for its own entry from here. */
    invoiceNumbersRevision: z.int(),
    holds: z.array(stockHold),
    /** `perCustomer`: the uses of its customer are limited, too. */
    discountClaims: z.array(
      z.object({
        discountId: guid,
        code: text.nullable(),
        amount: minor,
        perCustomer: z.literal(true).exactOptional(),
      }),
    ),
    discountReleases: z.array(guid),
    /** Uses of a customer that the older order has claimed and this one does not need. */
    customerReleases: z.array(z.object({ discountId: guid, customerId: guid })).exactOptional(),
    content: invoiceContent,
    /**
     * From where it was asked for, as a keyed hash, and how many unpaid invoices may stand there at a time. `heldAt`:
     * of the agent that `address` then is, the network where what it holds is counted.
     */
    openInvoices: z.object({ address: text, limit: z.int(), heldAt: text.exactOptional() }).exactOptional(),
    /** What the basket was shown by upsell rules; missing where that is nothing. */
    shownUpsells: z.array(shownUpsell).exactOptional(),
  },
  /** The placement stood still: another driver takes it over. */
  OrderPlacementResumed: { placementId: guid, turn: z.int().positive() },
  OrderPlaced: { placementId: guid, invoiceId: guid, invoiceNumber: text },
  OrderPlacementFailed: {
    placementId: guid,
    code: text,
    message: text,
    details: z.record(z.string(), z.unknown()),
    /** True when the older invoice could not be closed: it stands, and so does what it holds. */
    keepsHolds: z.boolean(),
  },
  /** The invoice of a placement expired, and everything that was held for it has been given back. */
  OrderExpired: { placementId: guid, invoiceId: guid },
};

/**
 * Since 2, personal fields share a seal, and an order takes e-mail and addresses from the basket it is made of. Since
 * 3, there may be no customer.
 */
const versions = {
  CheckoutAddressesChanged: 3,
  CheckoutEmailCaptured: 2,
  CheckoutAddressCaptured: 2,
  OrderPlacementStarted: 3,
};

export const checkoutEvents = defineEvents('checkout', shapes, versions);
export type CheckoutEvent = EventOf<typeof checkoutEvents>;
