import type { EditDifference } from '#events/invoice-edit.shapes.ts';
import type {
  Amounts,
  FrozenDiscount,
  InvoiceContent,
  OrderAddon,
  OrderLine,
} from '#events/invoice.fields.ts';
import { saleFigures } from '#events/sale-figures.ts';
import { refuseProblems } from '#kernel/entity.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isSameJson } from '#kernel/same-json.ts';
import { formatMoney, MAX_AMOUNT, scale, toDecimal, type Minor } from '#values/money.ts';
import { shippingTaxOn } from '../shipping-tax.ts';
import { taxOn } from './added-lines.ts';
import { discountProblems, editedDiscounts, type EditedDiscounts } from './edited-discounts.ts';
import { editedLines, lineProblems, type EditedLines } from './edited-lines.ts';
import { editedPieces, type EditedPiece } from './edited-pieces.ts';
import { moneyOf, sum, type EditMoney } from './edit-money.ts';
import type { EditedInvoice, EditFacts, UseChange, WantedEdit } from './invoice-edit.ts';

type Piece = OrderLine | OrderAddon;

interface EditedTax {
  readonly byPiece: ReadonlyMap<string, Minor>;
  readonly shippingTax: Minor;
  readonly isRemoved: boolean;
}

const shippingDiscountOf = ({ discounts }: Pick<InvoiceContent, 'discounts'>): Minor =>
  sum(discounts.filter(({ category }) => category === 'FreeShipping').map(({ amount }) => amount));

/** At the rate of before, as far as there was anything to tax; else by the rules of now. */
const shippingTaxOf = (
  content: InvoiceContent,
  charge: Minor,
  { shippingTax }: EditFacts,
  lines: { readonly tax: Minor; readonly taxable: Minor },
  { charged }: EditMoney,
): Minor => {
  const before = content.amounts.shipping - shippingDiscountOf(content);
  if (charge === before) return content.shippingTax;
  if (before > 0) return charged(scale(content.shippingTax, charge, before));
  return charged(shippingTaxOn(charge, shippingTax, lines.tax, lines.taxable).amount);
};

/** A piece that is what it was has the tax that it had; any other that of its rate. */
const editedTax = (
  content: InvoiceContent,
  { pieces, byPiece: discounts, shippingDiscount }: EditedDiscounts,
  { orders }: EditedLines,
  wanted: WantedEdit,
  facts: EditFacts,
  money: EditMoney,
): EditedTax => {
  const isRemoved = wanted.edit.shouldRemoveTax || content.isTaxRemoved === true;
  const byPiece = new Map<string, Minor>();
  if (isRemoved) return { byPiece, shippingTax: 0, isRemoved };
  const before = new Map(editedPieces(content.orders).map((piece) => [piece.id, piece]));
  let [tax, taxable] = [0, 0];
  for (const piece of pieces) {
    const discount = discounts.get(piece.id) ?? 0;
    const was = before.get(piece.id);
    const isAsBefore = was?.worth === piece.worth && was.discount === discount;
    const base = piece.worth - discount;
    const own = isAsBefore ? piece.tax : money.charged(taxOn(base, piece));
    byPiece.set(piece.id, own);
    tax += own;
    if (piece.isTaxable) taxable += base;
  }
  const charge = sum(orders.map(({ shippingCost }) => shippingCost)) - shippingDiscount;
  const shippingTax = shippingTaxOf(content, charge, facts, { tax, taxable }, money);
  return { byPiece, shippingTax, isRemoved };
};

/** Lines with what is taken off them and the tax on them. */
const settledOrders = (
  { orders }: EditedLines,
  { byPiece: discounts }: EditedDiscounts,
  { byPiece: taxes, isRemoved }: EditedTax,
): InvoiceContent['orders'] => {
  const settled = <Kind extends Piece>(piece: Kind): Kind => {
    const discount = discounts.get(piece.id) ?? 0;
    const tax = taxes.get(piece.id) ?? 0;
    if (isRemoved) return { ...piece, discount, tax: 0, taxRate: 0, isTaxable: false };
    return discount === piece.discount && tax === piece.tax ? piece : { ...piece, discount, tax };
  };
  return orders.map((order) => ({
    ...order,
    lines: order.lines.map((line) => ({
      ...settled(line),
      ...(line.addons && { addons: line.addons.map(settled) }),
    })),
  }));
};

/** What the parts of an invoice come to. */
interface Parts {
  readonly subTotal: Minor;
  readonly discount: Minor;
  readonly shipping: Minor;
  readonly tax: Minor;
}

const ownParts = (content: Omit<InvoiceContent, 'amounts' | 'amountsInStoreCurrency'>): Parts => {
  const pieces: readonly EditedPiece[] = editedPieces(content.orders);
  return {
    subTotal: sum(pieces.map(({ total }) => total)),
    discount: sum(pieces.map(({ discount }) => discount)) + shippingDiscountOf(content),
    shipping: sum(content.orders.map(({ shippingCost }) => shippingCost)),
    tax: sum(pieces.map(({ tax }) => tax)) + content.shippingTax,
  };
};

const storeParts = ({
  orders,
  discounts,
}: Pick<InvoiceContent, 'orders' | 'discounts'>): Omit<Parts, 'tax'> => ({
  subTotal: sum(
    orders.flatMap(({ lines }) =>
      lines
        .flatMap((line): Piece[] => [line, ...(line.addons ?? [])])
        .map(({ lineTotalInStoreCurrency }) => lineTotalInStoreCurrency),
    ),
  ),
  discount: sum(discounts.map(({ amount, amountInStoreCurrency = amount }) => amountInStoreCurrency)),
  shipping: sum(orders.map(({ shippingCostInStoreCurrency }) => shippingCostInStoreCurrency)),
});

/**
 * What it came to and the difference of its parts: what has not changed is what it was, to the last unit. A shown total
 * that rounding has left beside its parts is their sum once any of them changes.
 */
const amountsAfter = (amounts: Amounts, before: Parts, after: Parts): Amounts => {
  const subTotal = amounts.subTotal + after.subTotal - before.subTotal;
  const discount = amounts.discount + after.discount - before.discount;
  const shipping = amounts.shipping + after.shipping - before.shipping;
  const tax = amounts.tax + after.tax - before.tax;
  const isSame = isSameJson(before, after);
  const total = isSame ? amounts.total : subTotal - discount + shipping + tax;
  return { subTotal, discount, shipping, tax, total };
};

const refuseTooLarge = ({ subTotal, shipping }: Amounts, currency: string): void => {
  if (subTotal + shipping <= MAX_AMOUNT) return;
  const limit = formatMoney(MAX_AMOUNT, currency);
  throw new Rejection('amount-too-large', `An invoice can be at most ${limit} before tax.`, {
    limit: toDecimal(MAX_AMOUNT, currency),
  });
};

const withAmounts = (
  content: InvoiceContent,
  after: Omit<InvoiceContent, 'amounts' | 'amountsInStoreCurrency'>,
  money: EditMoney,
): InvoiceContent => {
  const [before, now] = [ownParts(content), ownParts(after)];
  const amounts = amountsAfter(content.amounts, before, now);
  refuseTooLarge(amounts, content.currency);
  if (!money.isForeign) return { ...after, amounts, amountsInStoreCurrency: amounts };
  const { tax } = content.amountsInStoreCurrency;
  const isTaxGone = now.tax === 0 && before.tax > 0;
  const taxNow = isTaxGone ? 0 : Math.max(0, tax + money.store(now.tax - before.tax));
  const inStore = amountsAfter(
    content.amountsInStoreCurrency,
    { ...storeParts(content), tax },
    { ...storeParts(after), tax: taxNow },
  );
  return { ...after, amounts, amountsInStoreCurrency: inStore };
};

const contentAfter = (
  content: InvoiceContent,
  lines: EditedLines,
  discounted: EditedDiscounts,
  taxed: EditedTax,
  money: EditMoney,
): InvoiceContent => {
  const orders = settledOrders(lines, discounted, taxed);
  const piecesOf = (of: InvoiceContent['orders']): number =>
    sum(of.flatMap((order) => order.lines.map(({ quantity }) => quantity)));
  const after = {
    ...content,
    orders,
    discounts: [...discounted.discounts],
    shippingTax: taxed.shippingTax,
    itemCount: content.itemCount + piecesOf(orders) - piecesOf(content.orders),
    ...(taxed.isRemoved && { isTaxRemoved: true as const, effectiveShippingTaxRate: null }),
  };
  return withAmounts(content, after, money);
};

/** By rule, what is taken off in the store's currency, and in whose name its use stands. */
const usesOf = ({ discounts }: InvoiceContent): ReadonlyMap<string, UseChange> => {
  const uses = new Map<string, UseChange>();
  for (const row of discounts) {
    const { discountId, amount, amountInStoreCurrency = amount, claimedBy = null } = row;
    if (!isByRule(row)) continue;
    const before = uses.get(discountId)?.amount ?? 0;
    uses.set(discountId, { discountId, amount: before + amountInStoreCurrency, claimedBy });
  }
  return uses;
};

const isByRule = ({ isReferral, isManual }: FrozenDiscount): boolean => !isReferral && !isManual;

const discountDifferences = (
  before: ReadonlyMap<string, UseChange>,
  after: ReadonlyMap<string, UseChange>,
): EditDifference['discounts'] =>
  [...new Set([...before.keys(), ...after.keys()])].map((discountId) => {
    const [was, is] = [before.get(discountId), after.get(discountId)];
    return {
      discountId,
      uses: Number(is !== undefined) - Number(was !== undefined),
      amount: (is?.amount ?? 0) - (was?.amount ?? 0),
    };
  });

const without = (
  uses: ReadonlyMap<string, UseChange>,
  others: ReadonlyMap<string, UseChange>,
): readonly UseChange[] => [...uses.values()].filter(({ discountId }) => !others.has(discountId));

/** What a sale brings now, less what it brought. */
const differenceOf = (before: InvoiceContent, after: InvoiceContent) => {
  const [was, is] = [saleFigures(before, 0), saleFigures(after, 0)];
  const less = (figure: keyof Amounts): Minor => is.amounts[figure] - was.amounts[figure];
  return {
    amounts: {
      subTotal: less('subTotal'),
      discount: less('discount'),
      shipping: less('shipping'),
      tax: less('tax'),
      total: less('total'),
    },
    cost: is.cost - was.cost,
    items: is.items - was.items,
  };
};

/**
 * An invoice after an edit, and everything that has to follow (docs/rules/invoice-editing.md). Prices, discounts and
 * rates of what was sold are those of the sale; what is new is priced by the facts. Preview and change are this.
 *
 * Errors: Rejections `invalid-request`, `out-of-stock`, `discount-not-applicable`, `amount-too-large`.
 */
export const applyEdit = (content: InvoiceContent, wanted: WantedEdit, facts: EditFacts): EditedInvoice => {
  refuseProblems([...lineProblems(content, wanted), ...discountProblems(content, wanted)]);
  const money = moneyOf(content);
  const lines = editedLines(content, wanted, facts, money);
  if (lines.orders.every((order) => order.lines.length === 0))
    refuseProblems(['removedLineItems: must leave at least one line']);
  const discounted = editedDiscounts(content, lines, wanted, facts, money);
  const taxed = editedTax(content, discounted, lines, wanted, facts, money);
  const after = contentAfter(content, lines, discounted, taxed, money);
  const [before, uses] = [usesOf(content), usesOf(after)];
  return {
    content: after,
    difference: {
      ...differenceOf(content, after),
      discounts: discountDifferences(before, uses),
    },
    stock: lines.stock,
    gainedUses: without(uses, before),
    lostUses: without(before, uses),
    changedOrderIds: after.orders.flatMap((order, index) =>
      isSameJson(order, content.orders[index] ?? null) ? [] : [order.orderId],
    ),
    emptiedOrderIds: lines.emptiedOrderIds,
    addedLineIds: lines.addedLineIds,
    warnings: discounted.warnings,
  };
};
