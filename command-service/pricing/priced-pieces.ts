import type { BasketViewAddon, BasketViewLine } from '#events/basket-view.ts';
import type { LineFigures } from '#events/pricing.fields.ts';
import type { TaxResponse } from '#values/tax-response.ts';
import { percentOf, type Minor } from '#values/money.ts';
import { addonKey, goodsKey } from './addons.ts';
import type { BasketPrices, Offer } from './basket-prices.ts';

/** A line or one of its add-ons. */
export interface PricedPiece {
  /** The line that it stands in. */
  readonly line: BasketViewLine;
  /** Its figures of the last time. */
  readonly before: LineFigures;
  readonly offer: Offer;
  readonly total: Minor;
  /** What discounts can take and tax is on: `total`, less what an add-on takes off. Never negative. */
  worth: Minor;
}

const pieceOf = (line: BasketViewLine, before: LineFigures, offer: Offer): PricedPiece => {
  const total = offer.unitPrice * line.quantity;
  return { line, before, offer, total, worth: total };
};

/** An add-on that costs less than nothing takes it from its product, and what is left of it from the other add-ons. */
export const settleReductions = (pieces: readonly { readonly total: Minor; worth: Minor }[]): void => {
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
  line: BasketViewLine,
  addons: readonly BasketViewAddon[],
  isSold: boolean,
  { offers }: BasketPrices,
): PricedPiece[] =>
  addons.map((addon) => {
    const offer = isSold ? offers.get(addonKey(line.productId, addon)) : undefined;
    return pieceOf(line, addon, offer ?? addon);
  });

/**
 * What is sold no more, or not with these add-ons, keeps its last prices: checkout refuses it, not the arithmetic.
 */
export const piecesOf = (lines: readonly BasketViewLine[], prices: BasketPrices): PricedPiece[] => {
  const pieces: PricedPiece[] = [];
  for (const line of lines) {
    const offer = prices.offers.get(goodsKey(line));
    const product = pieceOf(line, line, offer ?? line);
    pieces.push(product);
    if (line.addons === undefined) continue;
    const addons = addonPieces(line, line.addons, offer !== undefined, prices);
    settleReductions([product, ...addons]);
    pieces.push(...addons);
  }
  return pieces;
};

const differs = (line: LineFigures, figures: LineFigures): boolean =>
  line.unitPrice !== figures.unitPrice ||
  line.isTaxable !== figures.isTaxable ||
  line.taxRate !== figures.taxRate ||
  line.discount !== figures.discount ||
  line.tax !== figures.tax;

export interface TaxedPieces {
  readonly tax: Minor;
  /** What taxable pieces come to, after discounts. */
  readonly taxable: Minor;
  readonly changed: readonly LineFigures[];
}

/** The tax on each piece, on what discounts have left of it; and the figures that are not those of the last time. */
export const taxPieces = (
  pieces: readonly PricedPiece[],
  discounts: ReadonlyMap<string, Minor>,
  answer: TaxResponse | null,
): TaxedPieces => {
  const said = new Map(answer?.lines.map((line) => [line.lineId, line]));
  const changed: LineFigures[] = [];
  let tax = 0;
  let taxable = 0;
  for (const { before, offer, worth } of pieces) {
    const { unitPrice } = offer;
    const discount = discounts.get(before.lineId) ?? 0;
    const base = worth - discount;
    const provided = said.get(before.lineId);
    const { isTaxable, taxRate } = provided ?? offer;
    const lineTax = provided?.tax ?? (isTaxable ? percentOf(base, taxRate) : 0);
    if (isTaxable) taxable += base;
    tax += lineTax;
    const figures = { lineId: before.lineId, unitPrice, isTaxable, taxRate, discount, tax: lineTax };
    if (differs(before, figures)) changed.push(figures);
  }
  return { tax, taxable, changed };
};
