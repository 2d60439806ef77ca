import type { FrozenDiscount, InvoiceContent } from '#events/invoice.fields.ts';
import { percentOf, scale, type Minor } from '#values/money.ts';
import { takenInStore, takeOffOrder, takeOffPiece, type DiscountRegister } from './discount-register.ts';
import { followed } from './edit-money.ts';
import type { EditedPiece } from './edited-pieces.ts';

export const isLinkedTo = (
  { lineId, orderId }: Pick<FrozenDiscount, 'lineId' | 'orderId'>,
  { key, orderId: ofPiece }: Pick<EditedPiece, 'key' | 'orderId'>,
): boolean => lineId === key && (orderId === undefined || orderId === ofPiece);

const inStoreOf = ({ amount, amountInStoreCurrency = amount }: FrozenDiscount): Minor =>
  amountInStoreCurrency;

/** With another amount; the store's currency follows, unless it is known better. */
const rowOf = (
  { money }: DiscountRegister,
  row: FrozenDiscount,
  now: Minor,
  inStore = followed(money, inStoreOf(row), { before: row.amount, now }),
): FrozenDiscount =>
  now === row.amount
    ? row
    : {
        ...row,
        amount: now,
        ...((money.isForeign || row.amountInStoreCurrency !== undefined) && {
          amountInStoreCurrency: inStore,
        }),
      };

/** Units of a reward leave last, and never become more. */
const rewardUnits = (row: FrozenDiscount, { worth, quantity }: EditedPiece): number => {
  const known = row.sold?.units;
  if (known !== undefined && known > 0) return known;
  return worth === 0 ? quantity : Math.min(quantity, Math.ceil((row.amount * quantity) / worth));
};

/** A discount of a line in another number of units: what it takes off each stays. */
const rescaled = (
  register: DiscountRegister,
  row: FrozenDiscount,
  was: EditedPiece,
  quantity: number,
): FrozenDiscount => {
  const { money } = register;
  const isReward = row.category === 'BuyXGetY';
  const units = isReward ? rewardUnits(row, was) : was.quantity;
  const left = isReward ? Math.min(units, quantity) : quantity;
  if (left === units) return row;
  if (row.isManual) return rowOf(register, row, scale(row.amount, left, units));
  const inStore = scale(inStoreOf(row), left, units);
  const now = money.own(inStore);
  return rowOf(register, row, now, money.isForeign ? inStore : now);
};

const take = (register: DiscountRegister, row: FrozenDiscount, taken: Minor, shippingLeft?: Minor): void => {
  if (taken === 0 && row.amount > 0) register.warnings.push(`${row.name} takes nothing off any more.`);
  if (taken === 0 && row.amount > 0) return;
  const kept = rowOf(register, row, taken);
  const inStore = takenInStore(register, row, inStoreOf(kept), shippingLeft);
  register.rows.push(inStore === inStoreOf(kept) ? kept : { ...kept, amountInStoreCurrency: inStore });
};

/** Discounts of lines, in the number of units in which each line is now. */
export const keepLineDiscounts = (
  register: DiscountRegister,
  rows: readonly FrozenDiscount[],
  before: ReadonlyMap<string, EditedPiece>,
): void => {
  const byKey = Map.groupBy(register.pieces, ({ key }) => key);
  for (const row of rows) {
    const piece = byKey.get(row.lineId ?? '')?.find((one) => isLinkedTo(row, one));
    const was = piece && before.get(piece.id);
    if (!piece || !was) continue;
    const wanted = rescaled(register, row, was, piece.quantity);
    take(register, wanted, takeOffPiece(register, piece, wanted.amount));
  }
};

/** Discounts of the order: percentages of what is left of the lines on which they were sold, amounts as they are. */
export const keepOrderDiscounts = (register: DiscountRegister, rows: readonly FrozenDiscount[]): void => {
  for (const row of rows) {
    const { sold, amount, edit = 0 } = row;
    const wanted = { percent: sold?.percent ?? null, isAfterTax: sold?.isAfterTax ?? false, amount, edit };
    take(register, row, takeOffOrder(register, wanted));
  }
};

/** Discounts of the shipping, of what is charged for it now. Returns what is left of it. */
export const keepShippingDiscounts = (
  register: DiscountRegister,
  rows: readonly FrozenDiscount[],
  { before, now }: { readonly before: Minor; readonly now: Minor },
): Minor => {
  let left = now;
  for (const row of rows) {
    const percent = row.sold?.percent;
    const wanted = percent === undefined || before === now ? row.amount : percentOf(left, percent);
    const taken = Math.min(register.money.charged(wanted), left);
    left -= taken;
    take(register, row, taken, left);
  }
  return left;
};

/** Nothing that they depend on is other than it was: they take off what they did, to the last unit. */
export const keepAsTheyAre = (register: DiscountRegister, rows: readonly FrozenDiscount[]): void => {
  register.rows.push(...rows);
  for (const { id, worth, discount } of register.pieces) register.left.set(id, worth - discount);
};

/** The rows of an invoice by what they are taken off. */
export const rowsByKind = (discounts: InvoiceContent['discounts']) => ({
  ofLines: discounts.filter(({ lineId }) => lineId !== null),
  ofOrder: discounts.filter(({ lineId, category }) => lineId === null && category !== 'FreeShipping'),
  ofShipping: discounts.filter(({ lineId, category }) => lineId === null && category === 'FreeShipping'),
});
