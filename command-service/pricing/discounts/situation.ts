import type { BuyerTraits } from '#reference/reference.ts';
import type { Minor } from '#values/money.ts';
import type { Piece } from './piece.ts';

/** What rules are held against. */
export interface DiscountSituation {
  /** In the order of their products and lines. */
  readonly pieces: readonly Piece[];
  readonly currency: string;
  readonly now: number;
  readonly buyer: BuyerTraits;
  /** Where it goes. */
  readonly countryCode: string;
  /** What the shipping costs. */
  readonly shipping: Minor;
  /** Keys of the options that were chosen for it; none while the choice is open. */
  readonly shippingOptions: readonly string[];
}
