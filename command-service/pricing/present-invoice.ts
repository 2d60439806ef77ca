import type { BasketView } from '#events/basket-view.ts';
import type { InvoiceContent, OrderAddon, OrderLine } from '#events/invoice.fields.ts';
import {
  displayAmount,
  displayFigures,
  invoiceAmount,
  pricingCurrency,
  type DisplayCurrency,
} from '#values/exchange.ts';
import { stepOf } from '#values/currency.ts';
import { withRest, type Minor } from '#values/money.ts';
import { editedPieces } from './edits/edited-pieces.ts';

/** The currency that an invoice is in where it is not the store's, the rate it was shown at, and where that is from. */
export interface Presentment extends DisplayCurrency {
  readonly source: string;
  readonly quotedAt: string;
}

/** Each amount converted by itself; the last that is anything takes what is left of the whole. */
type Convert = (amounts: readonly Minor[], whole: Minor) => Minor[];

const sum = (amounts: readonly Minor[]): Minor => amounts.reduce((total, amount) => total + amount, 0);

/** A line of an order, or an add-on that was sold with one. */
type Piece = OrderLine | OrderAddon;

/** The tax of the pieces, by id; the remainder of rounding goes to those that are taxed. */
const taxesOf = (pieces: readonly Piece[], whole: Minor, convert: Convert): Map<string, Minor> =>
  columnOf(
    pieces.filter(({ tax }) => tax > 0),
    'tax',
    whole,
    convert,
  );

/** What the pieces cost, by id. Where several orders send a line it is converted as a whole, then shared out. */
const lineTotalsOf = (pieces: readonly Piece[], whole: Minor, convert: Convert): Map<string, Minor> => {
  const byLine = [...Map.groupBy(pieces, ({ basketLineId }) => basketLineId).values()];
  const storeTotals = byLine.map((parts) => parts.map(({ lineTotal }) => lineTotal));
  const wholes = convert(storeTotals.map(sum), whole);
  return new Map(
    byLine.flatMap((parts, index) => {
      const amounts = convert(storeTotals[index] ?? [], wholes[index] ?? 0);
      return parts.map(({ id }, place): [string, Minor] => [id, amounts[place] ?? 0]);
    }),
  );
};

/**
 * No line costs less than nothing with its add-ons, in any order: what rounding has taken too much of it, the last
 * lines that cost anything bear.
 */
const noneBelowNothing = (
  orders: InvoiceContent['orders'],
  lineTotals: ReadonlyMap<string, Minor>,
): ReadonlyMap<string, Minor> => {
  const settled = new Map(lineTotals);
  const shownOf = ({ id }: Piece): Minor => settled.get(id) ?? 0;
  const put = (piece: Piece, more: Minor): void => void settled.set(piece.id, shownOf(piece) + more);
  const lines = orders.flatMap((order) => order.lines.map((line) => [line, ...(line.addons ?? [])] as const));
  let missing = 0;
  for (const pieces of lines) {
    const worth = sum(pieces.map(shownOf));
    if (worth >= 0 || sum(pieces.map(({ lineTotal }) => lineTotal)) < 0) continue;
    put(pieces[0], -worth);
    missing -= worth;
  }
  if (missing === 0) return lineTotals;
  for (const pieces of lines.toReversed())
    for (const piece of pieces) {
      const taken = Math.max(0, Math.min(missing, shownOf(piece), sum(pieces.map(shownOf))));
      put(piece, -taken);
      missing -= taken;
    }
  return settled;
};

/** What is taken off the pieces, or the tax on them, by id. */
const columnOf = (
  pieces: readonly Piece[],
  column: 'discount' | 'tax',
  whole: Minor,
  convert: Convert,
): Map<string, Minor> => {
  const amounts = convert(
    pieces.map((piece) => piece[column]),
    whole,
  );
  return new Map(pieces.map(({ id }, index) => [id, amounts[index] ?? 0]));
};

/** Nothing is taken off a piece that is not there: what rounding has put on top of it is taken off the others. */
const withinWorth = (
  orders: InvoiceContent['orders'],
  lineTotals: ReadonlyMap<string, Minor>,
  discounts: ReadonlyMap<string, Minor>,
): ReadonlyMap<string, Minor> => {
  const shown = <Kind extends Piece>(piece: Kind): Kind => ({
    ...piece,
    lineTotal: lineTotals.get(piece.id) ?? 0,
  });
  const pieces = editedPieces(
    orders.map((order) => ({
      ...order,
      lines: order.lines.map((line) => ({
        ...shown(line),
        ...(line.addons && { addons: line.addons.map(shown) }),
      })),
    })),
  );
  const settled = new Map(discounts);
  let excess = 0;
  const put = (id: string, worth: Minor, wanted: Minor): Minor => {
    const taken = Math.max(0, Math.min(wanted, worth));
    settled.set(id, taken);
    return wanted - taken;
  };
  for (const { id, worth } of pieces) excess += put(id, worth, discounts.get(id) ?? 0);
  if (excess === 0) return settled;
  for (const { id, worth } of pieces) excess = put(id, worth, (settled.get(id) ?? 0) + excess);
  return excess === 0 ? settled : discounts;
};

/** What discounts take off, by their place: what the pieces bear, and those of shipping the rest. */
const discountsOf = (
  discounts: InvoiceContent['discounts'],
  whole: { readonly all: Minor; readonly offPieces: Minor },
  convert: Convert,
): ReadonlyMap<number, Minor> => {
  const placed = discounts.map(({ category, amount }, place) => ({ category, amount, place }));
  const converted = (some: typeof placed, sum: Minor): (readonly [number, Minor])[] => {
    const amounts = convert(
      some.map(({ amount }) => amount),
      sum,
    );
    return some.map(({ place }, index) => [place, amounts[index] ?? 0]);
  };
  return new Map([
    ...converted(
      placed.filter(({ category }) => category !== 'FreeShipping'),
      whole.offPieces,
    ),
    ...converted(
      placed.filter(({ category }) => category === 'FreeShipping'),
      whole.all - whole.offPieces,
    ),
  ]);
};

/**
 * An invoice in the currency that its shopper was shown (docs/rules/currency.md#invoices). Its figures are the ones
 * shown; every other amount is divided by the locked rate and rounded, and the last of each kind takes the rest, so
 * that lines, discounts, tax and shipping sum to those figures. Its amounts in the store's currency stay as they were.
 */
export const inPresentment = (content: InvoiceContent, presentment: Presentment): InvoiceContent => {
  const { storeCurrency, orders, discounts } = content;
  const { source, quotedAt, ...display } = presentment;
  const pricing = pricingCurrency(display);
  const own = (amount: Minor): Minor => invoiceAmount(amount, storeCurrency, pricing);
  const convert: Convert = (amounts, whole) => withRest(amounts.map(own), whole);
  const amounts = displayFigures(content.amounts, storeCurrency, display);
  const pieces = orders.flatMap((order) => order.lines.flatMap((line) => [line, ...(line.addons ?? [])]));
  const areGoodsTaxed = pieces.some(({ tax }) => tax > 0);
  const shippingTax = areGoodsTaxed ? Math.min(own(content.shippingTax), amounts.tax) : amounts.tax;
  const offPieces = sum(pieces.map(({ discount }) => discount));
  const discount = offPieces === content.amounts.discount ? amounts.discount : own(offPieces);
  const lineTotals = noneBelowNothing(orders, lineTotalsOf(pieces, amounts.subTotal, convert));
  const pieceDiscounts = withinWorth(orders, lineTotals, columnOf(pieces, 'discount', discount, convert));
  const pieceTaxes = taxesOf(pieces, amounts.tax - shippingTax, convert);
  const converted = <Kind extends Piece>(piece: Kind): Kind => ({
    ...piece,
    unitPrice: own(piece.unitPrice),
    lineTotal: lineTotals.get(piece.id) ?? 0,
    discount: pieceDiscounts.get(piece.id) ?? 0,
    tax: pieceTaxes.get(piece.id) ?? 0,
    cost: own(piece.costInStoreCurrency),
  });
  const shipping = convert(
    orders.map(({ shippingCost }) => shippingCost),
    amounts.shipping,
  );
  const taken = discountsOf(discounts, { all: amounts.discount, offPieces: discount }, convert);
  return {
    ...content,
    currency: display.currency,
    rate: pricing.rate,
    quote: { displayRate: display.rate, source, quotedAt },
    amounts,
    shippingTax,
    discounts: discounts.map((one, index) => ({
      ...one,
      amount: taken.get(index) ?? 0,
      amountInStoreCurrency: one.amount,
    })),
    orders: orders.map((order, index) => ({
      ...order,
      shippingCost: shipping[index] ?? 0,
      lines: order.lines.map((line) => ({
        ...converted(line),
        ...(line.addons && { addons: line.addons.map(converted) }),
      })),
    })),
  };
};

/**
 * An invoice in the store's own currency, with every amount as it is shown and paid (docs/rules/pricing.md#steps); the
 * same where amounts have no steps.
 */
export const inOwnSteps = (content: InvoiceContent): InvoiceContent => {
  const { currency } = content;
  if (stepOf(currency) === 1) return content;
  const { quote: _, ...shown } = inPresentment(content, { currency, rate: '1', source: '', quotedAt: '' });
  const settled = <Kind extends Piece>(piece: Kind): Kind => ({
    ...piece,
    cost: piece.costInStoreCurrency,
    lineTotalInStoreCurrency: piece.lineTotal,
  });
  return {
    ...shown,
    amountsInStoreCurrency: shown.amounts,
    discounts: shown.discounts.map((one) => ({ ...one, amountInStoreCurrency: one.amount })),
    orders: shown.orders.map((order) => ({
      ...order,
      shippingCostInStoreCurrency: order.shippingCost,
      lines: order.lines.map((line) => ({
        ...settled(line),
        ...(line.addons && { addons: line.addons.map(settled) }),
      })),
    })),
  };
};

/** Whether a basket is shown with the same figures in two currencies, or at two rates of one. */
export const isShownAlike = (
  { currency, totals, lines, choices }: BasketView,
  one: DisplayCurrency,
  other: DisplayCurrency,
): boolean => {
  if (one.currency !== other.currency) return false;
  if (one.rate === other.rate) return true;
  const { subTotal, productDiscount, shippingDiscount, shipping, tax, total } = totals;
  const amounts = [
    ...[subTotal, productDiscount + shippingDiscount, shipping, tax, total],
    ...choices.map(({ cost }) => cost),
    ...lines.flatMap((line) =>
      [line, ...(line.addons ?? [])].flatMap(({ unitPrice }) => [unitPrice, unitPrice * line.quantity]),
    ),
  ];
  return amounts.every(
    (amount) => displayAmount(amount, currency, one) === displayAmount(amount, currency, other),
  );
};
