import type { AppliedCode, BasketViewAddon, BasketViewLine } from '#events/basket-view.ts';
import type { BasketPricing, LineFigures, TakenDiscount } from '#events/pricing.fields.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { ReferenceDiscount } from '#reference/reference.ts';
import type { TaxAnswer } from '#values/tax-answer.ts';
import { formatMoney, MAX_AMOUNT, percentOf, toDecimal, type Minor } from '#values/money.ts';
import {
  applyDiscounts,
  discountProblem,
  selectDiscounts,
  unknownCode,
  type AppliedDiscounts,
  type DiscountProblem,
  type DiscountSituation,
} from './apply-discounts.ts';
import { addonKey, goodsKey } from './addons.ts';
import type { BasketPrices, Offer } from './basket-prices.ts';
import { answerFor, estimationOf, type TaxBasis } from './provider-tax.ts';
import { shippingTaxOn } from './shipping-tax.ts';

/** Who buys, as far as the basket knows it: a customer is one who is signed in. */
export interface Buyer {
  readonly customerId: string | null;
  readonly segmentIds: readonly string[];
}

/** A percentage off one line, by the link that brought the shopper. */
export interface Referral {
  readonly lineId: string;
  readonly percentage: number;
  readonly name: string;
  /** ISO instant. */
  readonly expiresAt: string;
}

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
  /** Default: nobody who is known. */
  readonly buyer?: Buyer;
}

/** What the basket had and has not any more: a code, an automatic discount, or that of a referral. */
export type DroppedDiscount =
  | (AppliedCode & { readonly kind: 'code'; readonly problem: DiscountProblem })
  | {
      readonly kind: 'automatic';
      readonly discountId: string;
      readonly name: string;
      readonly problem: DiscountProblem;
    }
  | {
      readonly kind: 'referral';
      readonly lineId: string;
      readonly name: string;
      readonly problem: DiscountProblem;
    };
type DroppedCode = Extract<DroppedDiscount, { readonly kind: 'code' }>;

export interface PricedBasket {
  readonly pricing: BasketPricing;
  readonly dropped: readonly DroppedDiscount[];
  /** What tax is on; where a provider is to say it. */
  readonly taxBasis?: TaxBasis;
}

/** A line or one of its add-ons. */
interface PricedPiece {
  /** Its figures of the last time. */
  readonly before: LineFigures;
  readonly offer: Offer;
  readonly total: Minor;
  /** What discounts can take and tax is on: `total`, less what an add-on takes off. Never negative. */
  worth: Minor;
}

const pieceOf = (before: LineFigures, offer: Offer, quantity: number): PricedPiece => {
  const total = offer.unitPrice * quantity;
  return { before, offer, total, worth: total };
};

/** An add-on that costs less than nothing takes it from its product, and what is left of it from the other add-ons. */
const settleReductions = (pieces: readonly PricedPiece[]): void => {
  let reduction = 0;
  for (const piece of pieces) {
    if (piece.total >= 0) continue;
    reduction -= piece.total;
    piece.worth = 0;
  }
  for (const piece of pieces) {
    const taken = Math.min(reduction, piece.worth);
    piece.worth -= taken;
    reduction -= taken;
  }
};

const addonPieces = (
  { productId, quantity }: BasketViewLine,
  addons: readonly BasketViewAddon[],
  isSold: boolean,
  { offers }: BasketPrices,
): PricedPiece[] =>
  addons.map((addon) => {
    const offer = isSold ? offers.get(addonKey(productId, addon)) : undefined;
    return pieceOf(addon, offer ?? addon, quantity);
  });

/**
 * What is sold no more, or not with these add-ons, keeps its last prices: checkout refuses it, not the arithmetic.
 */
const piecesOf = (lines: readonly BasketViewLine[], prices: BasketPrices): PricedPiece[] => {
  const pieces: PricedPiece[] = [];
  for (const line of lines) {
    const offer = prices.offers.get(goodsKey(line));
    const product = pieceOf(line, offer ?? line, line.quantity);
    pieces.push(product);
    if (line.addons === undefined) continue;
    const addons = addonPieces(line, line.addons, offer !== undefined, prices);
    settleReductions([product, ...addons]);
    pieces.push(...addons);
  }
  return pieces;
};

const chooseDiscounts = (
  codes: readonly AppliedCode[],
  prices: BasketPrices,
  situation: DiscountSituation,
) => {
  const dropped: DroppedCode[] = [];
  const valid: ReferenceDiscount[] = [];
  for (const code of codes) {
    const discount = prices.discounts.get(code.discountId);
    const found = discount === undefined ? unknownCode(code.code) : discountProblem(discount, situation);
    if (found !== null) dropped.push({ kind: 'code', ...code, problem: found });
    else if (discount !== undefined) valid.push(discount);
  }
  const selected = selectDiscounts(valid, situation.subTotal);
  for (const { discount, problem } of selected.dropped) {
    const code = codes.find(({ discountId }) => discountId === discount.id);
    if (code !== undefined) dropped.push({ kind: 'code', ...code, problem });
  }
  return { kept: selected.kept, dropped };
};

const takenDiscounts = (applied: AppliedDiscounts): TakenDiscount[] =>
  applied.taken.map(({ discount: { id, rule }, amount }) => ({
    id: derivedId('discountLine', id),
    discountId: id,
    name: rule.name,
    code: rule.code,
    category: rule.category,
    lineId: null,
    amount,
  }));

const differs = (line: LineFigures, figures: LineFigures): boolean =>
  line.unitPrice !== figures.unitPrice ||
  line.isTaxable !== figures.isTaxable ||
  line.taxRate !== figures.taxRate ||
  line.discount !== figures.discount ||
  line.tax !== figures.tax;

/** `field` is what took the basket over the limit, by the name under which a caller sends or sees it. */
const tooLarge = (field: 'quantity' | 'shipping', currency: string): Rejection => {
  const limit = formatMoney(MAX_AMOUNT, currency);
  const message = `${field}: goods and shipping of a basket come to at most ${limit} before tax. Divide the order.`;
  return new Rejection('amount-too-large', message, { field, limit: toDecimal(MAX_AMOUNT, currency) });
};

const nothingOff: AppliedDiscounts = { taken: [], perLine: [], productDiscount: 0 };

const price = (basket: PriceableBasket, prices: BasketPrices, limit: Minor): PricedBasket => {
  const pieces = piecesOf(basket.lines, prices);
  let subTotal = 0;
  let charged = 0;
  for (const { total } of pieces) {
    subTotal += total;
    if (total > 0) charged += total;
  }
  const { currency, now } = prices;
  // What add-ons take off does not count: beyond the limit, sums would not be exact.
  if (charged > limit) throw tooLarge('quantity', currency);
  const quantity = basket.lines.reduce((sum, line) => sum + line.quantity, 0);
  const { kept, dropped } = chooseDiscounts(basket.codes, prices, { subTotal, quantity, currency, now });
  const worths = pieces.map(({ worth }) => worth);
  const applied = kept.length === 0 ? nothingOff : applyDiscounts(kept, worths);
  const shipping = basket.lines.length === 0 ? 0 : basket.shipping;
  if (subTotal + shipping > limit) throw tooLarge('shipping', currency);
  const provided = providedTax(prices, pieces, applied.perLine, shipping);
  const lines = taxPieces(pieces, applied.perLine, provided?.answer ?? null);
  const onShipping = provided?.answer
    ? { amount: provided.answer.shippingTax, effectiveRate: null }
    : shippingTaxOn(shipping, prices.shippingTax, lines.tax, lines.taxable);
  const tax = lines.tax + onShipping.amount;
  const totals = {
    subTotal,
    productDiscount: applied.productDiscount,
    shippingDiscount: 0,
    shipping,
    tax,
    shippingTax: onShipping.amount,
    total: subTotal - applied.productDiscount + tax + shipping,
    effectiveShippingTaxRate: onShipping.effectiveRate,
    ...(onShipping.fixedRate === undefined ? {} : { shippingTaxRate: onShipping.fixedRate }),
    ...(provided ? { taxEstimation: provided.estimation } : {}),
  };
  const pricing = { totals, discounts: takenDiscounts(applied), changedLines: lines.changed };
  return { pricing, dropped, ...(provided ? { taxBasis: provided.basis } : {}) };
};

/** What a provider has said, where one is to say it. */
const providedTax = (
  { providerTax }: BasketPrices,
  pieces: readonly PricedPiece[],
  perLine: readonly Minor[],
  shipping: Minor,
) => {
  if (providerTax === undefined) return null;
  const basis: TaxBasis = {
    lines: pieces.map(({ before, offer, worth }, index) => ({
      lineId: before.lineId,
      amount: worth - (perLine[index] ?? 0),
      isTaxable: offer.isTaxable,
    })),
    shipping,
  };
  const answer = answerFor(providerTax, basis);
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
    const { lines, codes } = basket;
    const before = price({ lines, codes, shipping: 0 }, { ...prices, offers: new Map() }, Infinity);
    return { ...before, isAsBefore: true };
  }
};

const taxPieces = (
  pieces: readonly PricedPiece[],
  perLine: readonly Minor[],
  answer: TaxAnswer | null,
): { readonly tax: Minor; readonly taxable: Minor; readonly changed: LineFigures[] } => {
  const said = new Map(answer?.lines.map((line) => [line.lineId, line]));
  const changed: LineFigures[] = [];
  let tax = 0;
  let taxable = 0;
  pieces.forEach(({ before, offer, worth }, index) => {
    const { unitPrice } = offer;
    const discount = perLine[index] ?? 0;
    const base = worth - discount;
    const provided = said.get(before.lineId);
    const { isTaxable, taxRate } = provided ?? offer;
    const lineTax = provided?.tax ?? (isTaxable ? percentOf(base, taxRate) : 0);
    if (isTaxable) taxable += base;
    tax += lineTax;
    const figures = { lineId: before.lineId, unitPrice, isTaxable, taxRate, discount, tax: lineTax };
    if (differs(before, figures)) changed.push(figures);
  });
  return { tax, taxable, changed };
};
