import type { FrozenDiscount } from '#events/invoice.fields.ts';
import { defined } from '#kernel/defined.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { ReferenceDiscount } from '#reference/reference.ts';
import { percentOf, scale, type Minor } from '#values/money.ts';
import { combine } from '../discounts/combine.ts';
import { called, conflict, problem, unknownCode, withoutEffect } from '../discounts/discount-problem.ts';
import type { DiscountProblem } from '../discounts/discount-problem.ts';
import { rewardDiscounts } from '../discounts/buy-x-get-y.ts';
import { shippingAmount } from '../discounts/free-shipping.ts';
import { byProduct, type Piece } from '../discounts/piece.ts';
import { productDiscounts, type PieceDiscount } from '../discounts/product-discounts.ts';
import type { DiscountSituation } from '../discounts/situation.ts';
import { discountProblem } from '../discounts/validity.ts';
import { soldAs } from '../sold-discount.ts';
import {
  takenInStore,
  takeOffOrder,
  takeOffPiece,
  warnIfCapped,
  type DiscountRegister,
} from './discount-register.ts';
import type { EditedPiece } from './edited-pieces.ts';
import type { EditFacts, HandDiscount, WantedEdit } from './invoice-edit.ts';

/** What is left of the shipping while discounts are taken off it. */
export interface ShippingLeft {
  left: Minor;
}

/** With what it takes off, in both currencies. */
const taking = (
  register: DiscountRegister,
  row: FrozenDiscount,
  amount: Minor,
  shippingLeft?: Minor,
): FrozenDiscount => {
  const { isForeign, store } = register.money;
  const inStore = takenInStore(register, row, store(amount), shippingLeft);
  return { ...row, amount, ...(isForeign && { amountInStoreCurrency: inStore }) };
};

const handRow = (
  { name, reason, isVisibleToCustomer }: HandDiscount,
  { id, version, lineId, orderId }: { id: string; version: number; lineId: string | null; orderId: string },
): FrozenDiscount => ({
  id,
  discountId: id,
  name: name ?? 'Discount',
  code: null,
  category: lineId === null ? 'AmountOffOrder' : 'AmountOffProducts',
  lineId,
  amount: 0,
  orderId,
  edit: version,
  isManual: true,
  reason,
  isVisibleToCustomer,
});

const give = (register: DiscountRegister, row: FrozenDiscount, wanted: Minor, taken: Minor): void => {
  warnIfCapped(register, row.name, wanted, taken);
  if (taken > 0) register.rows.push(taking(register, row, taken));
};

/** Staff discounts on lines: an amount per unit, or a percentage of the line. */
export const giveLineDiscounts = (
  register: DiscountRegister,
  { editId, version, edit }: WantedEdit,
): void => {
  for (const { id: lineId, discount } of edit.lineItems) {
    const piece = register.pieces.find(({ id }) => id === lineId);
    if (!discount || !piece) continue;
    const { type, value } = discount;
    const { worth, quantity, key, orderId } = piece;
    const wanted = register.money.charged(
      type === 'Percentage' ? percentOf(worth, value) : type === 'Free' ? worth : value * quantity,
    );
    const id = derivedId('line-discount', editId, lineId);
    const row = handRow(discount, { id, version, lineId: key, orderId });
    give(register, row, wanted, takeOffPiece(register, piece, wanted));
  }
};

/** What staff give on the whole order. */
export const giveOrderDiscounts = (
  register: DiscountRegister,
  { editId, version, edit }: WantedEdit,
  firstOrderId: string,
): void => {
  edit.orderDiscounts.forEach((discount, index) => {
    const { type, value } = discount;
    const percent = type === 'Percentage' ? value : type === 'Free' ? 100 : null;
    const amount = percent === null ? register.money.charged(value) : 0;
    const taken = takeOffOrder(register, { percent, isAfterTax: false, amount, edit: version });
    const id = derivedId('order-discount', editId, index);
    const row = handRow(discount, { id, version, lineId: null, orderId: firstOrderId });
    const sold = percent === null ? {} : { sold: { percent } };
    give(register, { ...row, ...sold }, percent === null ? amount : taken, taken);
  });
};

const refused = ({ errorCode, message }: DiscountProblem): Rejection =>
  new Rejection('discount-not-applicable', message, { errorCode });

/** Lines at what a unit of them costs in the store's currency, as rules see them. */
const situationOf = (
  { pieces, money }: DiscountRegister,
  { now, buyer, destination, keysOf }: EditFacts,
  { shipping, shippingOptions, storeCurrency }: CodeCircumstances,
): DiscountSituation => ({
  pieces: pieces
    .map((piece): Piece => ({
      lineId: piece.id,
      productId: piece.line.productId ?? piece.id,
      isAddon: piece.isAddon,
      unit: scale(inStoreWorth(piece, money.store), 1, piece.quantity),
      quantity: piece.quantity,
      taxRate: piece.isTaxable ? piece.taxRate : 0,
      keys: piece.line.productId === null ? [] : keysOf(piece.line.productId, piece.warehouseId),
    }))
    .sort(byProduct),
  currency: storeCurrency,
  now,
  buyer,
  countryCode: destination.countryCode,
  shipping,
  shippingOptions,
});

/** A piece that an add-on takes nothing off is worth what it is in the store's currency, to the last unit. */
const inStoreWorth = ({ worth, total, line, isAddon }: EditedPiece, store: (amount: Minor) => Minor): Minor =>
  worth === total && !isAddon ? line.lineTotalInStoreCurrency : store(worth);

/** What codes are held against, beside the lines. */
export interface CodeCircumstances {
  readonly shipping: Minor;
  readonly shippingOptions: readonly string[];
  readonly storeCurrency: string;
  /** The rules that stay on the invoice. */
  readonly keptIds: readonly string[];
}

const checked = (
  code: string,
  facts: EditFacts,
  register: DiscountRegister,
  situation: DiscountSituation,
  keptIds: readonly string[],
): ReferenceDiscount => {
  const discount = facts.codes.get(code);
  if (discount?.rule.method !== 'Code') throw refused(unknownCode(code));
  const found = discountProblem(discount, situation);
  if (found !== null) throw refused(found);
  const ids = new Set([...keptIds, ...register.rows.map(({ discountId }) => discountId)]);
  if (ids.has(discount.id))
    throw refused(problem('AlreadyApplied', `${called(discount)} has been applied already.`));
  for (const id of ids) {
    const other = facts.rules.get(id) ?? [...facts.codes.values()].find((one) => one.id === id);
    if (other && !combine(discount.rule, other.rule)) throw refused(conflict(discount, other));
  }
  return discount;
};

const isLimited = ({ totalUsageLimit, perCustomerUsageLimit }: ReferenceDiscount['rule']): boolean =>
  totalUsageLimit !== null || perCustomerUsageLimit !== null;

const partsOf = (rule: ReferenceDiscount['rule'], pieces: readonly Piece[]): readonly PieceDiscount[] =>
  rule.category === 'BuyXGetY' ? rewardDiscounts(rule, pieces) : productDiscounts(rule, pieces);

const codeRow = (
  discount: ReferenceDiscount,
  { editId, version }: WantedEdit,
  { lineId, orderId }: { readonly lineId: string | null; readonly orderId: string },
): FrozenDiscount => {
  const { id, rule } = discount;
  return {
    id: derivedId('code-discount', editId, id, orderId, lineId ?? 'order'),
    discountId: id,
    name: rule.name,
    code: rule.code,
    category: rule.category,
    lineId,
    amount: 0,
    orderId,
    edit: version,
    ...(isLimited(rule) && { claimedBy: editId }),
  };
};

const takeByCode = (
  register: DiscountRegister,
  discount: ReferenceDiscount,
  wanted: WantedEdit,
  situation: DiscountSituation,
  firstOrderId: string,
  shipping: ShippingLeft,
): Minor => {
  const { rule } = discount;
  const { money } = register;
  const ofOrder = { lineId: null, orderId: firstOrderId };
  const push = (row: FrozenDiscount, taken: Minor, sold: FrozenDiscount['sold']): Minor => {
    if (taken > 0)
      register.rows.push(taking(register, { ...row, ...defined({ sold }) }, taken, shipping.left));
    return taken;
  };
  switch (rule.category) {
    case 'AmountOffOrder': {
      const sold = soldAs(rule);
      const amount = rule.valueType === 'FixedAmount' ? money.own(rule.value) : 0;
      const order = {
        percent: sold?.percent ?? null,
        isAfterTax: sold?.isAfterTax ?? false,
        amount,
        edit: wanted.version,
      };
      return push(codeRow(discount, wanted, ofOrder), takeOffOrder(register, order), sold);
    }
    case 'FreeShipping': {
      const taken = Math.min(money.charged(shippingAmount(rule, shipping.left, situation)), shipping.left);
      shipping.left -= taken;
      return push(codeRow(discount, wanted, ofOrder), taken, soldAs(rule));
    }
    case 'AmountOffProducts':
    case 'BuyXGetY': {
      let all = 0;
      for (const {
        piece: { lineId, unit },
        amount,
      } of partsOf(rule, situation.pieces)) {
        const piece = register.pieces.find(({ id }) => id === lineId);
        if (!piece) continue;
        const { key, orderId } = piece;
        const taken = takeOffPiece(register, piece, money.own(amount));
        all += push(
          codeRow(discount, wanted, { lineId: key, orderId }),
          taken,
          soldAs(rule, { amount, unit }),
        );
      }
      return all;
    }
  }
};

/** Those that come before discounts of the order, or those after. */
type Phase = 'lines' | 'order';

const phaseOf = ({ rule }: ReferenceDiscount): Phase =>
  rule.category === 'AmountOffProducts' || rule.category === 'BuyXGetY' ? 'lines' : 'order';

/**
 * Codes that staff enter, by the rules of now, over every line that is there
 * (docs/rules/invoice-editing.md#discounts). Errors: Rejection `discount-not-applicable`.
 */
export const applyCodes = (
  register: DiscountRegister,
  wanted: WantedEdit,
  facts: EditFacts,
  circumstances: CodeCircumstances & { readonly firstOrderId: string; readonly shippingLeft: ShippingLeft },
  phase: Phase,
): void => {
  const { orderDiscountCodes } = wanted.edit;
  if (orderDiscountCodes.length === 0) return;
  const situation = situationOf(register, facts, circumstances);
  for (const code of orderDiscountCodes) {
    const known = facts.codes.get(code);
    if (known && phaseOf(known) !== phase) continue;
    const discount = checked(code, facts, register, situation, circumstances.keptIds);
    const { firstOrderId, shippingLeft } = circumstances;
    const taken = takeByCode(register, discount, wanted, situation, firstOrderId, shippingLeft);
    if (taken === 0) throw refused(withoutEffect(discount));
  }
};
