import type { AppliedCode, BasketViewLine } from '#events/basket-view.ts';
import { checkoutEvents } from '#events/checkout.events.ts';
import type { BasketPricing, LineFigures, TakenDiscount } from '#events/pricing.fields.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { ReferenceDiscount } from '#reference/reference.ts';
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
import type { BasketPrices, Offer } from './basket-prices.ts';
import { shippingTaxOn } from './shipping-tax.ts';

/**
 * What is priced. The figures that the lines carry are those of the last time. A `BasketView` fits, but for shipping.
 */
export interface PriceableBasket {
  readonly lines: readonly BasketViewLine[];
  readonly codes: readonly AppliedCode[];
  /** Cost of the chosen shipping, all groups; 0 while nothing is chosen. */
  readonly shipping: Minor;
}

/** A code that the basket had and that does not apply any more. */
export interface DroppedCode extends AppliedCode {
  readonly problem: DiscountProblem;
}

export interface PricedBasket {
  readonly pricing: BasketPricing;
  readonly dropped: readonly DroppedCode[];
}

/** A product that is not sold any more keeps its last price: checkout refuses it, not the arithmetic. */
const offerFor = (line: BasketViewLine, prices: BasketPrices): Offer =>
  prices.offers.get(line.productId) ?? line;

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
    if (found !== null) dropped.push({ ...code, problem: found });
    else if (discount !== undefined) valid.push(discount);
  }
  const selected = selectDiscounts(valid, situation.subTotal);
  for (const { discount, problem } of selected.dropped) {
    const code = codes.find(({ discountId }) => discountId === discount.id);
    if (code !== undefined) dropped.push({ ...code, problem });
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

const differs = (line: BasketViewLine, figures: LineFigures): boolean =>
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
  const offers = basket.lines.map((line) => offerFor(line, prices));
  let subTotal = 0;
  let quantity = 0;
  const lineTotals = basket.lines.map((line, index) => {
    const lineTotal = (offers[index]?.unitPrice ?? 0) * line.quantity;
    subTotal += lineTotal;
    quantity += line.quantity;
    return lineTotal;
  });
  const { currency, now } = prices;
  if (subTotal > limit) throw tooLarge('quantity', currency);
  const { kept, dropped } = chooseDiscounts(basket.codes, prices, { subTotal, quantity, currency, now });
  const applied = kept.length === 0 ? nothingOff : applyDiscounts(kept, lineTotals);
  const lines = taxLines(basket.lines, offers, lineTotals, applied.perLine);
  const shipping = basket.lines.length === 0 ? 0 : basket.shipping;
  if (subTotal + shipping > limit) throw tooLarge('shipping', currency);
  const onShipping = shippingTaxOn(shipping, prices.shippingTax, lines.tax, lines.taxable);
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
  };
  return { pricing: { totals, discounts: takenDiscounts(applied), changedLines: lines.changed }, dropped };
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

const taxLines = (
  lines: readonly BasketViewLine[],
  offers: readonly Offer[],
  lineTotals: readonly Minor[],
  perLine: readonly Minor[],
): { readonly tax: Minor; readonly taxable: Minor; readonly changed: LineFigures[] } => {
  const changed: LineFigures[] = [];
  let tax = 0;
  let taxable = 0;
  lines.forEach((line, index) => {
    const { unitPrice, isTaxable, taxRate } = offers[index] ?? line;
    const discount = perLine[index] ?? 0;
    const base = (lineTotals[index] ?? 0) - discount;
    const lineTax = isTaxable ? percentOf(base, taxRate) : 0;
    if (isTaxable) taxable += base;
    tax += lineTax;
    const figures = { lineId: line.lineId, unitPrice, isTaxable, taxRate, discount, tax: lineTax };
    if (differs(line, figures)) changed.push(figures);
  });
  return { tax, taxable, changed };
};

const { DiscountCodeRemoved } = checkoutEvents.create;

/** What the log says of the codes that fell away when a basket was priced; the figures stand in the event before. */
export const codesRemoved = ({ pricing, dropped }: PricedBasket) =>
  dropped.map(({ discountId, code, problem }) =>
    DiscountCodeRemoved({
      discountId,
      code,
      reason: problem.message,
      pricing: { ...pricing, changedLines: [] },
    }),
  );
