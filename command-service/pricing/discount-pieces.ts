import { byProduct, keysOf, type Piece } from './discounts/piece.ts';
import { traitsOfUnsold, type TraitsOf } from './line-traits.ts';
import type { PricedPiece } from './priced-pieces.ts';

/** Lines and add-ons as discounts see them. An add-on is what its product is (docs/rules/discounts.md#targets). */
export const discountPieces = (pieces: readonly PricedPiece[], traits: ReturnType<TraitsOf>): Piece[] =>
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
