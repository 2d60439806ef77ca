import type { AppliedCode, BasketViewLine } from '#events/basket-view.ts';
import type { BasketPricing, TakenDiscount } from '#events/pricing.fields.ts';
import { isoInstant } from '#kernel/clock.ts';
import { defined } from '#kernel/defined.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { BuyerTraits } from '#reference/reference.ts';
import { formatMoney, MAX_AMOUNT, type Minor, toDecimal } from '#values/money.ts';
import type { BasketPrices } from './basket-prices.ts';
import { discountBasket, type DiscountedBasket, type DroppedDiscount } from './discounts/discount-basket.ts';
import type { Referral } from './discounts/referral-discounts.ts';
import { type TraitsOf, traitsOfUnsold, traitsOnDemand } from './line-traits.ts';
import { piecesOf, type PricedPiece, taxPieces } from './priced-pieces.ts';
import { estimationOf, type TaxBasis, taxResponseFor } from './provider-tax.ts';
import { shippingTaxOn } from './shipping-tax.ts';
import { byProduct, keysOf, type Piece } from './discounts/piece.ts';

/** Lines and add-ons as discounts see them. An add-on is what its product is (docs/rules/discounts.md#targets). */
const discountPieces = (pieces: readonly PricedPiece[], traits: ReturnType<TraitsOf>): Piece[] =>
  pieces
    .map((piece) => {
      const { line, before, offer, worth } = piece;
      return {
        lineId: before.lineId,
        productId: line.productId,
        isAddon: before !== line,
        // A reduction is one of each unit: what is left divides by the quantity.
        unit: worth / line.quantity,
        quantity: line.quantity,
        taxRate: offer.isTaxable ? offer.taxRate : 0,
        keys: keysOf(traits.get(line.lineId) ?? [traitsOfUnsold(line)]),
      };
    })
    .sort(byProduct);

/**
 * What is priced. The figures that the lines carry are those of the last time. A `BasketView` fits, but for shipping.
 */
export interface PriceableBasket {
  readonly lines: readonly BasketViewLine[];
  readonly codes: readonly AppliedCode[];
  /** Cost of the chosen shipping, all groups; 0 while nothing is chosen. */
  readonly shipping: Minor;
  /** Keys of the options that were chosen for it; none while the choice is open. */
  readonly shippingOptions?: readonly string[];
  /** What was taken the last time: of these, what is not taken any more is told. */
  readonly discounts?: readonly TakenDiscount[];
  /** Automatic discounts that the shopper has taken off: they stay off. */
  readonly suppressed?: readonly string[];
  readonly referrals?: readonly Referral[];
  /** Default: an unknown buyer. */
  readonly buyer?: BuyerTraits;
  /** Of a basket in checkout: whether that begins with this change; default: it is not in checkout. */
  readonly session?: 'begins' | 'goesOn';
  /** Its e-mail address is known. */
  readonly hasEmail?: true;
}

export interface PricedBasket {
  readonly pricing: BasketPricing;
  readonly dropped: readonly DroppedDiscount[];
  /** What tax is on; where a provider is to say it. */
  readonly taxBasis?: TaxBasis;
}

/** `field` is what took the basket over the limit, by the name under which a caller sends or sees it. */
const tooLarge = (field: 'quantity' | 'shipping', currency: string): Rejection => {
  const limit = formatMoney(MAX_AMOUNT, currency);
  const message = `${field}: goods and shipping of a basket come to at most ${limit} before tax. Divide the order.`;
  return new Rejection('amount-too-large', message, { field, limit: toDecimal(MAX_AMOUNT, currency) });
};

const nobody: BuyerTraits = { customerId: null, segmentIds: [] };
const nothingOff: DiscountedBasket = {
  taken: [],
  byLine: new Map(),
  productDiscount: 0,
  shippingDiscount: 0,
  dropped: [],
};

/** What is taken off. A basket that has no rules, in a shop that has none for it, is not looked at. */
const discountsOf = (
  basket: PriceableBasket,
  prices: BasketPrices,
  pieces: readonly PricedPiece[],
  shipping: Minor,
): DiscountedBasket => {
  const { codes, discounts = [], suppressed = [], referrals = [], buyer = nobody } = basket;
  const { shippingOptions = [] } = basket;
  const traits = traitsOnDemand(basket.lines, shippingOptions.length > 0, prices.traitsOf);
  const automatic = prices.automaticFor({ lines: traits.all, buyer });
  if ([automatic, codes, discounts, referrals].every(({ length }) => length === 0)) return nothingOff;
  const { currency, now, countryCode } = prices;
  return discountBasket(
    { codes, discounts, suppressed, referrals },
    { known: prices.discounts, automatic },
    {
      pieces: discountPieces(pieces, traits.byLine()),
      currency,
      now,
      buyer,
      countryCode,
      shipping,
      shippingOptions,
    },
  );
};

const price = (basket: PriceableBasket, prices: BasketPrices, limit: Minor): PricedBasket => {
  const pieces = piecesOf(basket.lines, prices);
  let subTotal = 0;
  let charged = 0;
  for (const { total } of pieces) {
    subTotal += total;
    if (total > 0) charged += total;
  }
  // What add-ons take off does not count: beyond the limit, sums would not be exact.
  if (charged > limit) throw tooLarge('quantity', prices.currency);
  const shipping = basket.lines.length === 0 ? 0 : basket.shipping;
  if (subTotal + shipping > limit) throw tooLarge('shipping', prices.currency);
  const { taken, byLine, productDiscount, shippingDiscount, dropped } = discountsOf(
    basket,
    prices,
    pieces,
    shipping,
  );
  const charge = shipping - shippingDiscount;
  const provided = providedTax(prices, pieces, byLine, charge);
  const lines = taxPieces(pieces, byLine, provided?.answer ?? null);
  const onShipping = provided?.answer
    ? { amount: provided.answer.shippingTax, effectiveRate: null }
    : shippingTaxOn(charge, prices.shippingTax, lines.tax, lines.taxable);
  const tax = lines.tax + onShipping.amount;
  const totals = {
    subTotal,
    productDiscount,
    shippingDiscount,
    shipping,
    tax,
    shippingTax: onShipping.amount,
    total: subTotal - productDiscount + tax + charge,
    effectiveShippingTaxRate: onShipping.effectiveRate,
    ...defined({ shippingTaxRate: onShipping.fixedRate }),
    ...(provided && { taxEstimation: provided.estimation }),
  };
  const pricing = {
    totals,
    discounts: [...taken],
    changedLines: [...lines.changed],
    ...sessionOf(basket, prices),
    ...(basket.hasEmail && { hasEmail: true as const }),
  };
  return { pricing, dropped, ...(provided && { taxBasis: provided.basis }) };
};

/** When a basket in checkout changes: its timeouts count from there (docs/rules/checkout.md#timeouts). */
const sessionOf = ({ session }: PriceableBasket, { now }: BasketPrices): Pick<BasketPricing, 'session'> => {
  if (session === undefined) return {};
  const at = isoInstant(now);
  return { session: session === 'begins' ? { at, begins: true } : { at } };
};

/** What a provider has said, where one is to say it. */
const providedTax = (
  { providerTax }: BasketPrices,
  pieces: readonly PricedPiece[],
  discounts: ReadonlyMap<string, Minor>,
  shipping: Minor,
) => {
  if (providerTax === undefined) return null;
  const basis: TaxBasis = {
    lines: pieces.map(({ before: { lineId }, offer, worth }) => ({
      lineId,
      amount: worth - (discounts.get(lineId) ?? 0),
      isTaxable: offer.isTaxable,
    })),
    shipping,
  };
  const answer = taxResponseFor(providerTax, basis);
  return { basis, answer, estimation: estimationOf(providerTax, answer) };
};

/**
 * Prices a basket: today's price of every line, discounts, tax per line, shipping and its tax, totals
 * (docs/rules/pricing.md#order-of-calculation). Rounds half away from zero once per line. The totals add up:
 * `total = subTotal − productDiscount − shippingDiscount + tax + shipping`, and nothing is ever negative.
 *
 * Refused with `amount-too-large` where goods and shipping, before discounts and tax, are more than the largest amount:
 * what passes is exact, here and in every sum that is made of it (docs/rules/pricing.md#largest-amount).
 */
export const priceBasket = (basket: PriceableBasket, prices: BasketPrices): PricedBasket =>
  price(basket, prices, MAX_AMOUNT);

/** What must not be refused because prices have risen: taking something out, ending a placement. */
export interface PricedAnyway extends PricedBasket {
  /** True: at the prices of the last time and without shipping, as today's would go beyond the largest amount. */
  readonly isAsBefore: boolean;
}

/** As `priceBasket`, for a basket with no more in it than when it was priced the last time. */
export const priceAnyway = (basket: PriceableBasket, prices: BasketPrices): PricedAnyway => {
  try {
    return { ...priceBasket(basket, prices), isAsBefore: false };
  } catch (error) {
    if (!(error instanceof Rejection) || error.code !== 'amount-too-large') throw error;
    const unchanged = { ...basket, shipping: 0, shippingOptions: [] };
    const before = price(unchanged, { ...prices, offers: new Map() }, Infinity);
    return { ...before, isAsBefore: true };
  }
};
