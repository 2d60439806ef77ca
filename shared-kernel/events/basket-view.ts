import type { Figures } from '#values/exchange.ts';
import type { EventOfType } from '#kernel/event.ts';
import { evolve, type Evolution } from '#kernel/evolution.ts';
import type { Address, Destination } from '#values/address.ts';
import type { CheckoutSession } from '#values/checkout-session.ts';
import { countryName } from '#values/region.ts';
import type { BasketAddon, BasketEvent, BasketLine } from './basket.events.ts';
import type { CapturedAddress, CheckoutEvent, ShippingChoice } from './checkout.events.ts';
import { discountsAfter } from './kept-discounts.ts';
import type {
  BasketPricing,
  BasketTotals,
  LineFigures,
  SessionStamp,
  TakenDiscount,
} from './pricing.fields.ts';

/** An add-on with its figures; its quantity is that of its line. */
export interface BasketViewAddon extends BasketAddon, LineFigures {}

/** A line with its quantity and its figures. */
export interface BasketViewLine extends Omit<BasketLine, 'addons'>, LineFigures {
  readonly quantity: number;
  readonly addons?: readonly BasketViewAddon[];
}

/** A discount code that the shopper has entered; it may take nothing off just now. */
export interface AppliedCode {
  readonly discountId: string;
  readonly code: string;
  readonly name: string;
}

/** A percentage off one line, for as long as it lasts and the line is there (docs/rules/discounts-in-the-basket.md). */
export interface ReferralDiscount {
  readonly lineId: string;
  readonly percentage: number;
  readonly name: string;
  /** ISO instant. */
  readonly expiresAt: string;
}

/**
 * What is in a basket, as the events of its stream add up to it. The deciders of basket and checkout and the read model
 * fold the same, so that a mutation and the next GET cannot tell different stories. Amounts in minor units of
 * `currency`, the store's own.
 */
export interface BasketView {
  readonly currency: string;
  /** What the shopper has last chosen to see; what is shown follows the cookie. */
  readonly preferredCurrency: string;
  readonly destination: Destination;
  readonly lines: readonly BasketViewLine[];
  readonly itemCount: number;
  readonly totals: BasketTotals;
  readonly discounts: readonly TakenDiscount[];
  readonly codes: readonly AppliedCode[];
  /** Automatic discounts that stay off this basket: taken off by the shopper, or refused when it was ordered. */
  readonly suppressed: readonly string[];
  /** Products that upsell rules put into it and the shopper has taken out, by their roots; missing where none is. */
  readonly removedUpsells?: readonly string[];
  /** At most one a line. */
  readonly referrals: readonly ReferralDiscount[];
  /** The member who is signed in, if one is: no right follows from it by itself. */
  readonly memberId: string | null;
  /** The customer who is signed in: whom an e-mail address alone names is `emailCustomerId`. */
  readonly customerId: string | null;
  /** Segments of that customer, as they were when the basket was last told. */
  readonly segmentIds: readonly string[];
  /** The customer of the e-mail address: who is invoiced, whose uses of a discount count, whom forgetting is about. */
  readonly emailCustomerId: string | null;
  readonly email: string | null;
  readonly billingAddress: Address | null;
  readonly shippingAddress: Address | null;
  readonly shippingSameAsBilling: boolean;
  readonly acceptsMarketing: boolean;
  /** One per shipping group, once shipping has been chosen; empty when the choice is open. */
  readonly choices: readonly ShippingChoice[];
  /** What has been typed since the addresses were sent the last time; nothing is ordered with it. */
  readonly captured: { readonly email: string | null; readonly address: CapturedAddress | null } | null;
  /** Null before checkout, and in baskets of older releases until they change. */
  readonly session: CheckoutSession | null;
}

/** The e-mail address that has been sent, or typed since. */
export const knownEmail = ({ captured, email }: Pick<BasketView, 'captured' | 'email'>): string | null =>
  captured?.email ?? email;

export const noTotals: BasketTotals = {
  subTotal: 0,
  productDiscount: 0,
  shippingDiscount: 0,
  shipping: 0,
  tax: 0,
  shippingTax: 0,
  total: 0,
  effectiveShippingTaxRate: null,
};

/** What is left of a basket once it is forgotten who it was of. */
export const withoutBuyer = (basket: BasketView): BasketView => ({
  ...basket,
  email: null,
  billingAddress: null,
  shippingAddress: null,
  captured: null,
});

const noFigures = { unitPrice: 0, isTaxable: false, taxRate: 0, discount: 0, tax: 0 };

/** A line as it stands before it has been priced for the first time. */
export const unpricedLine = (line: BasketLine, quantity: number): BasketViewLine => {
  const { addons } = line;
  const product: Omit<BasketLine, 'addons'> = line;
  const unpriced = { ...product, quantity, ...noFigures };
  if (addons === undefined) return unpriced;
  return { ...unpriced, addons: addons.map((addon) => ({ ...addon, ...noFigures })) };
};

export const startedBasket = (currency: string, destination: Destination): BasketView => ({
  currency,
  preferredCurrency: currency,
  destination,
  lines: [],
  itemCount: 0,
  totals: noTotals,
  discounts: [],
  codes: [],
  suppressed: [],
  referrals: [],
  memberId: null,
  customerId: null,
  segmentIds: [],
  emailCustomerId: null,
  email: null,
  billingAddress: null,
  shippingAddress: null,
  shippingSameAsBilling: true,
  acceptsMarketing: false,
  choices: [],
  captured: null,
  session: null,
});

const withFigures = (
  lines: readonly BasketViewLine[],
  changed: readonly LineFigures[],
): readonly BasketViewLine[] => {
  if (changed.length === 0) return lines;
  const figures = new Map(changed.map((line) => [line.lineId, line]));
  const withOwn = <Line extends LineFigures>(line: Line): Line => {
    const found = figures.get(line.lineId);
    return found === undefined ? line : { ...line, ...found };
  };
  return lines.map((line) => {
    const own = withOwn(line);
    return own.addons === undefined ? own : { ...own, addons: own.addons.map(withOwn) };
  });
};

const sessionAfter = (
  before: CheckoutSession | null,
  session: SessionStamp | undefined,
): CheckoutSession | null => {
  if (session === undefined) return before;
  const { at, begins } = session;
  return { begunAt: begins || before === null ? at : before.begunAt, changedAt: at };
};

/** An order counts as a change of the checkout, though the basket stays as it is. */
export const ordered = <View extends BasketView>(view: View, at: string): View =>
  view.session === null ? view : { ...view, session: { ...view.session, changedAt: at } };

type Captured = EventOfType<CheckoutEvent, 'CheckoutEmailCaptured' | 'CheckoutAddressCaptured'>;

/** What has been typed; goods and prices stay as they are. */
export const captured = <View extends BasketView>(view: View, { type, data }: Captured): View => {
  const { email = null, address = null } = view.captured ?? {};
  const session = sessionAfter(view.session, data.session);
  if (type === 'CheckoutEmailCaptured') return { ...view, session, captured: { email: data.email, address } };
  const { session: _, ...typed } = data;
  return { ...view, session, captured: { email, address: typed } };
};

type Changes = Partial<Omit<BasketView, 'totals' | 'discounts'>>;

const priced = (view: BasketView, pricing: BasketPricing, changes: Changes = {}): BasketView => {
  const lines = withFigures(changes.lines ?? view.lines, pricing.changedLines);
  const discounts = discountsAfter(view.discounts, pricing);
  const session = sessionAfter(view.session, pricing.session);
  const next = { ...view, ...changes, lines, totals: pricing.totals, discounts, session };
  return lines.length === 0 && next.choices.length > 0 ? { ...next, choices: [] } : next;
};

/** A new country or region; the rest of the address that was given stays. */
const moved = (address: Address | null, destination: Destination): Address | null =>
  address === null
    ? null
    : {
        ...address,
        countryCode: destination.countryCode,
        country: countryName(destination.countryCode),
        regionCode: destination.regionCode,
      };

const withoutCode = (view: BasketView, discountId: string): readonly AppliedCode[] =>
  view.codes.filter((code) => code.discountId !== discountId);

const withoutReferral = ({ referrals }: BasketView, lineId: string): readonly ReferralDiscount[] =>
  referrals.length === 0 ? referrals : referrals.filter((referral) => referral.lineId !== lineId);

/** What came by itself and was taken out does not come again. */
const withoutLine = (view: BasketView, lineId: string): Changes => {
  const removed = view.lines.find((line) => line.lineId === lineId);
  const lines = view.lines.filter((line) => line.lineId !== lineId);
  const referrals = withoutReferral(view, lineId);
  if (removed?.autoAddedByUpsellRule === undefined) return { lines, referrals };
  const { removedUpsells = [] } = view;
  return { lines, referrals, removedUpsells: [...new Set([...removedUpsells, removed.productRootId])] };
};

const suppressing = (view: BasketView, discountId: string): readonly string[] =>
  view.suppressed.includes(discountId) ? view.suppressed : [...view.suppressed, discountId];

/** What changes a basket's content has priced it; other events begin it, end it, or say how its orders fare. */
export type BasketChange = Extract<
  BasketEvent | CheckoutEvent,
  { readonly data: { readonly pricing: BasketPricing } }
>;

const withQuantities = (
  lines: readonly BasketViewLine[],
  changed: readonly { readonly lineId: string; readonly quantity: number }[],
): readonly BasketViewLine[] => {
  const quantities = new Map(changed.map(({ lineId, quantity }) => [lineId, quantity]));
  return lines.map((line) => ({ ...line, quantity: quantities.get(line.lineId) ?? line.quantity }));
};

const asUnpriced = ({ line, quantity }: { readonly line: BasketLine; readonly quantity: number }) =>
  unpricedLine(line, quantity);

const withChoices = (
  view: BasketView,
  { data: { choices, pricing } }: EventOfType<BasketChange, 'ShippingSelected' | 'ShippingRequoted'>,
): BasketView => priced(view, pricing, { choices });

const on: Evolution<BasketView, BasketChange> = {
  BasketLineAdded: (view, { data: { line, quantity, itemCount, pricing } }) =>
    priced(view, pricing, { itemCount, lines: [...view.lines, unpricedLine(line, quantity)] }),
  BasketLineQuantityChanged: (view, { data: { lineId, quantity, itemCount, pricing } }) =>
    priced(view, pricing, {
      itemCount,
      lines: view.lines.map((line) => (line.lineId === lineId ? { ...line, quantity } : line)),
    }),
  BasketLineRemoved: (view, { data: { lineId, itemCount, pricing } }) =>
    priced(view, pricing, { itemCount, ...withoutLine(view, lineId) }),
  BasketLinesReplaced: (view, { data: { added, changed, removed, itemCount, pricing } }) => {
    const gone = new Set(removed.map(({ lineId }) => lineId));
    const kept = view.lines.filter(({ lineId }) => !gone.has(lineId));
    return priced(view, pricing, {
      itemCount,
      lines: [...withQuantities(kept, changed), ...added.map(asUnpriced)],
      referrals: view.referrals.filter(({ lineId }) => !gone.has(lineId)),
    });
  },
  BasketRepriced: (view, { data: { destination, pricing } }) => priced(view, pricing, { destination }),
  BasketMerged: (view, { data: { added, grown, codes, itemCount, pricing } }) => {
    const lines = [...withQuantities(view.lines, grown), ...added.map(asUnpriced)];
    return priced(view, pricing, { itemCount, lines, codes: [...view.codes, ...codes] });
  },
  BasketBuyerIdentified: (view, { data: { pricing, ...buyer } }) => priced(view, pricing, buyer),
  CheckoutAddressesChanged: (
    view,
    { data: { pricing, keepsShipping, customerId, opens: _, ...addresses } },
  ) => {
    const given = { ...addresses, emailCustomerId: customerId, captured: null };
    return priced(view, pricing, keepsShipping ? given : { ...given, choices: [] });
  },
  CheckoutDestinationChanged: (view, { data: { destination, pricing } }) => {
    const shippingAddress = moved(view.shippingAddress, destination);
    return priced(view, pricing, { destination, shippingAddress, choices: [] });
  },
  ShippingSelected: withChoices,
  ShippingRequoted: withChoices,
  DiscountCodeApplied: (view, { data: { discountId, code, name, pricing } }) =>
    priced(view, pricing, { codes: [...withoutCode(view, discountId), { discountId, code, name }] }),
  DiscountCodeRemoved: (view, { data: { discountId, pricing } }) =>
    priced(view, pricing, { codes: withoutCode(view, discountId) }),
  DiscountTakenOff: (view, { data: { discountId, code, pricing } }) =>
    priced(
      view,
      pricing,
      code === null
        ? { suppressed: suppressing(view, discountId) }
        : { codes: withoutCode(view, discountId) },
    ),
  ReferralDiscountApplied: (view, { data: { pricing, ...referral } }) =>
    priced(view, pricing, { referrals: [...withoutReferral(view, referral.lineId), referral] }),
  ReferralDiscountRemoved: (view, { data: { lineId, pricing } }) =>
    priced(view, pricing, { referrals: withoutReferral(view, lineId) }),
  AutomaticDiscountDropped: (view, { data: { discountId, staysOff, pricing } }) =>
    priced(view, pricing, staysOff ? { suppressed: suppressing(view, discountId) } : {}),
};

/** The basket after a change. Pure: the one it is given stays as it is. What else stands beside its fields stays. */
export const changedBasket = <View extends BasketView>(view: View, change: BasketChange): View =>
  evolve(on, view, change) as View;

/** What a basket comes to, in the store's currency. */
export const figuresOf = ({ totals }: Pick<BasketView, 'totals'>): Figures => ({
  subTotal: totals.subTotal,
  discount: totals.productDiscount + totals.shippingDiscount,
  shipping: totals.shipping,
  tax: totals.tax,
  total: totals.total,
});
