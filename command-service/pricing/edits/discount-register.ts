import type { FrozenDiscount } from '#events/invoice.fields.ts';
import { allocate, formatMoney, type Minor } from '#values/money.ts';
import { orderShares } from '../discounts/order-discounts.ts';
import { sum, type EditMoney } from './edit-money.ts';
import type { EditedPiece } from './edited-pieces.ts';

/** What has been taken off the pieces of an invoice so far. Filled in place. */
export interface DiscountRegister {
  readonly pieces: readonly EditedPiece[];
  readonly rows: FrozenDiscount[];
  /** What is left of each piece, by its id. */
  readonly left: Map<string, Minor>;
  readonly warnings: string[];
  readonly money: EditMoney;
  /** What lines and shipping come to in the store's currency. */
  readonly inStore: { readonly goods: Minor; readonly shipping: Minor };
}

/**
 * What a row takes off in the store's currency: never more than there is, and all of it where it leaves nothing of the
 * invoice's. Asked before the row joins the others.
 */
export const takenInStore = (
  { rows, left, inStore, money }: DiscountRegister,
  { category }: Pick<FrozenDiscount, 'category'>,
  wanted: Minor,
  shippingLeft = 1,
): Minor => {
  if (!money.isForeign) return wanted;
  const isOfShipping = category === 'FreeShipping';
  const others = rows.filter((row) => (row.category === 'FreeShipping') === isOfShipping);
  const taken = sum(others.map(({ amount, amountInStoreCurrency = amount }) => amountInStoreCurrency));
  const there = Math.max(0, (isOfShipping ? inStore.shipping : inStore.goods) - taken);
  const isAll = isOfShipping ? shippingLeft === 0 : sum(left.values()) === 0;
  return isAll ? there : Math.min(wanted, there);
};

/** What is wanted, and what of it was there to be taken. */
export const warnIfCapped = (
  { warnings, money: { currency } }: Pick<DiscountRegister, 'warnings' | 'money'>,
  name: string,
  wanted: Minor,
  taken: Minor,
): void => {
  if (taken >= wanted) return;
  const [most, asked] = [formatMoney(taken, currency), formatMoney(wanted, currency)];
  warnings.push(`${name} takes off ${most}, not ${asked}: no more is left to take it from.`);
};

/** Takes as much as is left of the piece. */
export const takeOffPiece = ({ left, money }: DiscountRegister, piece: EditedPiece, amount: Minor): Minor => {
  const there = left.get(piece.id) ?? 0;
  const taken = Math.min(money.charged(amount), there);
  left.set(piece.id, there - taken);
  return taken;
};

/** A discount of the order: a percentage, or an amount up to what is there. */
export interface OrderAmount {
  readonly percent: number | null;
  readonly isAfterTax: boolean;
  readonly amount: Minor;
  /** Lines that later edits have added stay apart. */
  readonly edit: number;
}

/** Takes a discount off the order, shared out over what earlier ones have left of its lines. */
export const takeOffOrder = ({ pieces, left, money }: DiscountRegister, wanted: OrderAmount): Minor => {
  const { percent, isAfterTax: applyAfterTax, amount, edit } = wanted;
  const own = pieces.filter((piece) => piece.edit <= edit);
  const there = own.map(({ id }) => left.get(id) ?? 0);
  const exact =
    percent === null
      ? allocate(Math.min(amount, sum(there)), there)
      : orderShares(
          { valueType: 'Percentage', value: percent, applyAfterTax },
          own.map(({ isTaxable, taxRate }) => ({ taxRate: isTaxable ? taxRate : 0 })),
          there,
        );
  const shares = money.chargedShares(exact, there);
  own.forEach(({ id }, index) => left.set(id, (there[index] ?? 0) - (shares[index] ?? 0)));
  return sum(shares);
};
