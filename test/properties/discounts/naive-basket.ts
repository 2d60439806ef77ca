import type { Discount, DiscountRule } from '#entities/discount.entity.ts';

/** A line as the rules in docs/rules see it: what it is, where it is sent from, and what it and its add-ons cost. */
export interface NaiveLine {
  readonly lineId: string;
  readonly productId: string;
  readonly rootId: string;
  readonly sku: string;
  readonly productType: string | null;
  readonly collections: readonly string[];
  readonly filters: readonly string[];
  readonly tags: readonly string[];
  /** One for each warehouse that sends a part of it. */
  readonly sentFrom: readonly { readonly warehouse: string | null; readonly supplier: string | null }[];
  readonly price: number;
  readonly quantity: number;
  /** Ten-thousandths of a percent. */
  readonly rateParts: number;
  readonly addons: readonly { readonly lineId: string; readonly price: number }[];
}

/** A line, or one of its add-ons, without what its negative add-ons take off. */
export interface NaivePiece {
  readonly line: NaiveLine;
  readonly lineId: string;
  readonly isAddon: boolean;
  readonly unit: number;
  readonly quantity: number;
  readonly rateParts: number;
}

export interface NaiveRule {
  readonly id: string;
  readonly status: Discount['status'];
  readonly createdAt: string;
  readonly uses: number;
  readonly rule: DiscountRule;
}

export interface NaiveBasket {
  readonly lines: readonly NaiveLine[];
  readonly rules: readonly NaiveRule[];
  /** Ids of automatic rules that the shopper has taken off. */
  readonly takenOff: readonly string[];
  readonly referrals: readonly {
    readonly lineId: string;
    readonly percentage: number;
    readonly expiresAt: number;
  }[];
  readonly customer: string | null;
  readonly segments: readonly string[];
  readonly now: number;
  readonly shipping: number;
  /** `so:` and `dyn:` keys; none while the choice is open. */
  readonly shippingOptions: readonly string[];
  readonly countryCode: string;
}

export const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** What an add-on takes off comes off its product and, where that is used up, off the other add-ons. */
const piecesOf = (line: NaiveLine): NaivePiece[] => {
  const { quantity, rateParts } = line;
  let reduction = 0;
  for (const { price } of line.addons) if (price < 0) reduction -= price;
  return [{ lineId: line.lineId, price: line.price }, ...line.addons].map(({ lineId, price }, index) => {
    const off = Math.min(reduction, Math.max(0, price));
    reduction -= off;
    return { line, lineId, isAddon: index > 0, unit: Math.max(0, price) - off, quantity, rateParts };
  });
};

/** By product, then by line: so equals are told apart, whatever order a basket has. */
export const piecesIn = ({ lines }: Pick<NaiveBasket, 'lines'>): NaivePiece[] =>
  lines
    .flatMap(piecesOf)
    .sort(
      (one, other) => compare(one.line.productId, other.line.productId) || compare(one.lineId, other.lineId),
    );
