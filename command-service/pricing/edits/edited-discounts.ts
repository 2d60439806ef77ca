import type { FrozenDiscount, InvoiceContent } from '#events/invoice.fields.ts';
import type { Minor } from '#values/money.ts';
import type { DiscountRegister } from './discount-register.ts';
import { sum, type EditMoney } from './edit-money.ts';
import { editedPieces, type EditedPiece } from './edited-pieces.ts';
import type { EditedLines } from './edited-lines.ts';
import { applyCodes, giveLineDiscounts, giveOrderDiscounts } from './given-discounts.ts';
import type { EditFacts, InvoiceEdit, WantedEdit } from './invoice-edit.ts';
import {
  isLinkedTo,
  keepAsTheyAre,
  keepLineDiscounts,
  keepOrderDiscounts,
  keepShippingDiscounts,
  rowsByKind,
} from './kept-discounts.ts';

export interface EditedDiscounts {
  readonly pieces: readonly EditedPiece[];
  readonly discounts: readonly FrozenDiscount[];
  /** What is taken off each piece, by its id. */
  readonly byPiece: ReadonlyMap<string, Minor>;
  readonly shippingDiscount: Minor;
  readonly warnings: readonly string[];
}

/** What staff take off themselves: by its own id, or with all that its rule takes off. */
const isRemoved = (
  { removedOrderDiscounts: ids }: InvoiceEdit,
  { id, discountId }: FrozenDiscount,
): boolean => ids.includes(id) || ids.includes(discountId);

/** A discount by hand is replaced by the next one on the same line. */
const isReplaced = (
  { lineItems }: InvoiceEdit,
  row: FrozenDiscount,
  before: ReadonlyMap<string, EditedPiece>,
): boolean =>
  row.isManual === true &&
  lineItems.some(({ id, discount }) => {
    const piece = before.get(id);
    return discount !== undefined && piece !== undefined && isLinkedTo(row, piece);
  });

/** What is not on the invoice cannot be taken off it. */
export const discountProblems = ({ discounts }: InvoiceContent, { edit }: WantedEdit): readonly string[] =>
  edit.removedOrderDiscounts.flatMap((id, index) =>
    discounts.some((row) => row.id === id || row.discountId === id)
      ? []
      : [`removedOrderDiscounts.${index}: must be a discount of this invoice`],
  );

const isOfProducts = (code: string, { codes }: EditFacts): boolean => {
  const category = codes.get(code)?.rule.category;
  return category === 'AmountOffProducts' || category === 'BuyXGetY';
};

/** Whether what discounts of the order were taken off is not what it was. */
const isStirred = (
  content: InvoiceContent,
  kept: readonly FrozenDiscount[],
  { isChanged }: EditedLines,
  { edit }: WantedEdit,
  facts: EditFacts,
): boolean =>
  isChanged ||
  kept.filter(({ category }) => category !== 'FreeShipping').length <
    content.discounts.filter(({ category }) => category !== 'FreeShipping').length ||
  edit.lineItems.some(({ discount }) => discount) ||
  edit.orderDiscountCodes.some((code) => isOfProducts(code, facts));

const shippingOf = (orders: EditedLines['orders']): Minor =>
  sum(orders.map(({ shippingCost }) => shippingCost));

/**
 * The discounts of an invoice after an edit, in the order of their application: of lines, of the order, of shipping
 * (docs/rules/invoice-editing.md#discounts). Errors: Rejection `discount-not-applicable`.
 */
export const editedDiscounts = (
  content: InvoiceContent,
  lines: EditedLines,
  wanted: WantedEdit,
  facts: EditFacts,
  money: EditMoney,
): EditedDiscounts => {
  const { orders } = lines;
  const pieces = editedPieces(orders);
  const before = new Map(editedPieces(content.orders).map((piece) => [piece.id, piece]));
  const left = new Map(pieces.map(({ id, worth }) => [id, worth]));
  const inStore = {
    goods: sum(
      orders
        .flatMap((order) => order.lines.flatMap((line) => [line, ...(line.addons ?? [])]))
        .map(({ lineTotalInStoreCurrency }) => lineTotalInStoreCurrency),
    ),
    shipping: sum(orders.map(({ shippingCostInStoreCurrency }) => shippingCostInStoreCurrency)),
  };
  const register: DiscountRegister = { pieces, rows: [], left, warnings: [], money, inStore };
  const { edit } = wanted;
  const kept = content.discounts.filter((row) => !isRemoved(edit, row) && !isReplaced(edit, row, before));
  const { ofLines, ofOrder, ofShipping } = rowsByKind(kept);
  const shipping = shippingOf(orders);
  const shippingLeft = { left: shipping };
  const firstOrderId = orders[0]?.orderId ?? '';
  const circumstances = {
    shipping: inStore.shipping,
    shippingOptions: orders.flatMap(({ shippingOptionKey }) => shippingOptionKey ?? []),
    storeCurrency: content.storeCurrency,
    keptIds: kept.map(({ discountId }) => discountId),
    firstOrderId,
    shippingLeft,
  };
  if (isStirred(content, kept, lines, wanted, facts)) {
    keepLineDiscounts(register, ofLines, before);
    giveLineDiscounts(register, wanted);
    applyCodes(register, wanted, facts, circumstances, 'lines');
    keepOrderDiscounts(register, ofOrder);
  } else keepAsTheyAre(register, [...ofLines, ...ofOrder]);
  giveOrderDiscounts(register, wanted, firstOrderId);
  shippingLeft.left = keepShippingDiscounts(register, ofShipping, {
    before: content.amounts.shipping,
    now: shipping,
  });
  applyCodes(register, wanted, facts, circumstances, 'order');
  return {
    pieces,
    discounts: register.rows,
    byPiece: new Map(pieces.map(({ id, worth }) => [id, worth - (left.get(id) ?? 0)])),
    shippingDiscount: shipping - shippingLeft.left,
    warnings: register.warnings,
  };
};
