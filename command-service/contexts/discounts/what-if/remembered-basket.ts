import type { AppliedCode } from '#events/basket-view.ts';
import type { BasketEvent } from '#events/basket.events.ts';
import type { CheckoutEvent } from '#events/checkout.events.ts';
import type { BasketPricing } from '#events/pricing.fields.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { evolve, type Evolution } from '#kernel/evolution.ts';
import type { BuyerTraits } from '#reference/reference.ts';
import type { Destination } from '#values/address.ts';
import type { Referral } from '#command/pricing/discounts/referral-discounts.ts';

/** An order of a basket that stands, or is being placed. */
export interface BasketOrder {
  readonly invoiceId: string;
  readonly discountIds: readonly string[];
}

/** Of a basket, what its price depends on and its order does not say. */
export interface RememberedBasket {
  readonly destination: Destination;
  readonly codes: readonly AppliedCode[];
  readonly suppressed: readonly string[];
  readonly referrals: readonly Referral[];
  readonly buyer: BuyerTraits;
  readonly isTaxedByProvider: boolean;
  readonly placing: BasketOrder | null;
  /** Uses of its discounts are the basket's own. */
  readonly order: BasketOrder | null;
  /** False where it is made of its last events alone. */
  readonly isWhole: boolean;
}

export const nothingRemembered: RememberedBasket = {
  destination: { countryCode: '', regionCode: null, postalCode: null },
  codes: [],
  suppressed: [],
  referrals: [],
  buyer: { customerId: null, segmentIds: [] },
  isTaxedByProvider: false,
  placing: null,
  order: null,
  isWhole: false,
};

type Remembering = Extract<
  BasketEvent | CheckoutEvent,
  {
    readonly type:
      | 'BasketStarted'
      | 'BasketRepriced'
      | 'BasketBuyerIdentified'
      | 'BasketMerged'
      | 'BasketCleared'
      | 'CheckoutAddressesChanged'
      | 'CheckoutDestinationChanged'
      | 'DiscountCodeApplied'
      | 'DiscountCodeRemoved'
      | 'DiscountTakenOff'
      | 'AutomaticDiscountDropped'
      | 'ReferralDiscountApplied'
      | 'ReferralDiscountRemoved'
      | 'OrderPlacementStarted'
      | 'OrderPlaced'
      | 'OrderPlacementFailed'
      | 'OrderExpired';
  }
>;

const priced = (basket: RememberedBasket, { totals }: BasketPricing): RememberedBasket => {
  const isTaxedByProvider = totals.taxEstimation !== undefined;
  return basket.isTaxedByProvider === isTaxedByProvider ? basket : { ...basket, isTaxedByProvider };
};

const withoutCode = ({ codes }: RememberedBasket, discountId: string): readonly AppliedCode[] =>
  codes.filter((code) => code.discountId !== discountId);

const suppressing = (basket: RememberedBasket, discountId: string): RememberedBasket =>
  basket.suppressed.includes(discountId)
    ? basket
    : { ...basket, suppressed: [...basket.suppressed, discountId] };

const withoutReferral = ({ referrals }: RememberedBasket, lineId: string): readonly Referral[] =>
  referrals.filter((referral) => referral.lineId !== lineId);

const on: Evolution<RememberedBasket, Remembering> = {
  BasketStarted: (basket, { data: { destination } }) => ({ ...basket, destination }),
  BasketRepriced: (basket, { data: { destination, pricing } }) => ({
    ...priced(basket, pricing),
    destination,
  }),
  BasketBuyerIdentified: (basket, { data: { customerId, segmentIds } }) => ({
    ...basket,
    buyer: { customerId, segmentIds },
  }),
  BasketMerged: (basket, { data: { codes } }) =>
    codes.length === 0 ? basket : { ...basket, codes: [...basket.codes, ...codes] },
  BasketCleared: ({ placing, order, isWhole }) => ({ ...nothingRemembered, placing, order, isWhole }),
  CheckoutAddressesChanged: (basket, { data: { destination, pricing } }) => ({
    ...priced(basket, pricing),
    destination,
  }),
  CheckoutDestinationChanged: (basket, { data: { destination, pricing } }) => ({
    ...priced(basket, pricing),
    destination,
  }),
  DiscountCodeApplied: (basket, { data: { discountId, code, name } }) => ({
    ...basket,
    codes: [...withoutCode(basket, discountId), { discountId, code, name }],
  }),
  DiscountCodeRemoved: (basket, { data: { discountId } }) => ({
    ...basket,
    codes: withoutCode(basket, discountId),
  }),
  DiscountTakenOff: (basket, { data: { discountId, code } }) =>
    code === null ? suppressing(basket, discountId) : { ...basket, codes: withoutCode(basket, discountId) },
  AutomaticDiscountDropped: (basket, { data: { discountId, staysOff } }) =>
    staysOff ? suppressing(basket, discountId) : basket,
  ReferralDiscountApplied: (basket, { data: { pricing: _, ...referral } }) => ({
    ...basket,
    referrals: [...withoutReferral(basket, referral.lineId), referral],
  }),
  ReferralDiscountRemoved: (basket, { data: { lineId } }) => ({
    ...basket,
    referrals: withoutReferral(basket, lineId),
  }),
  OrderPlacementStarted: (basket, { data: { invoiceId, content } }) => ({
    ...basket,
    placing: { invoiceId, discountIds: [...new Set(content.discounts.map(({ discountId }) => discountId))] },
  }),
  OrderPlaced: (basket) => ({ ...basket, placing: null, order: basket.placing ?? basket.order }),
  // Unless the older order still stands, its invoice is closed as well.
  OrderPlacementFailed: (basket, { data: { keepsHolds } }) => ({
    ...basket,
    placing: null,
    order: keepsHolds ? basket.order : null,
  }),
  OrderExpired: (basket, { data: { invoiceId } }) =>
    basket.order?.invoiceId === invoiceId ? { ...basket, order: null } : basket,
};

/** The types of events that a basket is remembered by. */
export const rememberedTypes: readonly string[] = Object.keys(on);

export const remember = (basket: RememberedBasket, event: DomainEvent): RememberedBasket =>
  evolve(on, basket, event as Remembering);
