import type { StockChange } from '#events/invoice-edit.shapes.ts';
import type { InvoiceContent, OrderContent, OrderLine } from '#events/invoice.fields.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { unitsKey } from '#reference/availability.ts';
import { scale } from '#values/money.ts';
import { addedItem, addedProduct, placed } from './added-lines.ts';
import type { EditMoney } from './edit-money.ts';
import type { EditFacts, InvoiceEdit, WantedEdit } from './invoice-edit.ts';

/** The lines of an invoice after an edit, with the discounts and the tax of before. */
export interface EditedLines {
  readonly orders: readonly OrderContent[];
  readonly stock: readonly StockChange[];
  readonly addedLineIds: readonly string[];
  /** Orders whose last line is gone. */
  readonly emptiedOrderIds: readonly string[];
  /** Whether anything that was sold is not in the quantity in which it was. */
  readonly isChanged: boolean;
}

/** What is wanted of a line that is there. */
interface Change {
  readonly quantity: number;
  readonly shouldReturnToStock: boolean;
}

/** At its price, of which the one currency is the store's, and by hand the invoice's. */
const inQuantity = (line: OrderLine, quantity: number, money: EditMoney): OrderLine => {
  const part = <Piece extends Pick<OrderLine, 'unitPrice' | 'lineTotal' | 'lineTotalInStoreCurrency'>>(
    piece: Piece,
  ): Piece => {
    if (line.kind === 'custom') {
      const lineTotal = money.charged(piece.unitPrice * quantity);
      return { ...piece, lineTotal, lineTotalInStoreCurrency: money.store(lineTotal) };
    }
    const inStore = scale(piece.lineTotalInStoreCurrency, quantity, line.quantity);
    const lineTotal = money.own(inStore);
    return { ...piece, lineTotal, lineTotalInStoreCurrency: money.isForeign ? inStore : lineTotal };
  };
  return { ...part(line), quantity, ...(line.addons && { addons: line.addons.map(part) }) };
};

const isAddon = (orders: readonly OrderContent[], id: string): boolean =>
  orders.some(({ lines }) => lines.some(({ addons = [] }) => addons.some((addon) => addon.id === id)));

const lineProblem = (
  id: string,
  quantity: number,
  content: InvoiceContent,
  { shipped, closedOrderIds, completedOrderIds = [] }: WantedEdit,
): string | null => {
  const order = content.orders.find(({ lines }) => lines.some((line) => line.id === id));
  if (!order) {
    return isAddon(content.orders, id)
      ? 'must be the line of a product: its add-ons go with it'
      : 'must be a line of this invoice';
  }
  if (closedOrderIds.includes(order.orderId)) return 'must be a line of an order that is not cancelled';
  const there = order.lines.find((line) => line.id === id)?.quantity ?? 0;
  if (quantity > there && quantity < Infinity && completedOrderIds.includes(order.orderId))
    return `must be at most ${there}: the order is completed`;
  const sent = shipped.get(id) ?? 0;
  return quantity < sent ? `must be at least ${sent}: that many are in a shipment` : null;
};

/** What is wanted of the lines that are there, by line; and what cannot be had. */
const changesOf = (content: InvoiceContent, wanted: WantedEdit) => {
  const { lineItems, removedLineItems } = wanted.edit;
  const changes = new Map<string, Change>();
  const problems: string[] = [];
  const take = (field: string, id: string, change: Change | null): void => {
    const problem = changes.has(id)
      ? 'must name each line once'
      : lineProblem(id, change?.quantity ?? Infinity, content, wanted);
    if (problem !== null) problems.push(`${field}: ${problem}`);
    else if (change !== null) changes.set(id, change);
  };
  const seen = new Set<string>();
  lineItems.forEach(({ id, quantity, shouldReturnToStock }, index) => {
    if (seen.has(id)) problems.push(`lineItems.${index}.id: must name each line once`);
    else take(`lineItems.${index}`, id, quantity === undefined ? null : { quantity, shouldReturnToStock });
    seen.add(id);
  });
  removedLineItems.forEach(({ id, shouldReturnToStock }, index) => {
    if (seen.has(id)) problems.push(`removedLineItems.${index}.id: must name each line once`);
    else take(`removedLineItems.${index}.id`, id, { quantity: 0, shouldReturnToStock });
    seen.add(id);
  });
  return { changes, problems };
};

/** Units of a row that come and go; what comes and goes at once stays where it is. */
const createStockBook = ({ available }: EditFacts) => {
  const rows = new Map<string, { -readonly [Field in keyof StockChange]: StockChange[Field] }>();
  return {
    move: (
      line: OrderLine,
      warehouseId: string | null,
      units: number,
      shouldReturnToStock: boolean,
    ): void => {
      const { productId, isDigital } = line;
      if (productId === null || warehouseId === null || isDigital || units === 0) return;
      // Untracked units cannot be reserved.
      if (units > 0 && available(productId, warehouseId) === null) return;
      const key = unitsKey(productId, warehouseId);
      const row = rows.get(key) ?? { productId, warehouseId, reserved: 0, released: 0, destroyed: 0 };
      if (units > 0) row.reserved += units;
      else if (shouldReturnToStock) row.released -= units;
      else row.destroyed -= units;
      rows.set(key, row);
    },
    changes: (): StockChange[] =>
      [...rows.values()]
        .map((row) => {
          const kept = Math.min(row.reserved, row.released);
          return { ...row, reserved: row.reserved - kept, released: row.released - kept };
        })
        .filter(({ reserved, released, destroyed }) => reserved + released + destroyed > 0),
  };
};

type StockBook = ReturnType<typeof createStockBook>;

const changedOrder = (
  order: OrderContent,
  changes: ReadonlyMap<string, Change>,
  money: EditMoney,
  stock: StockBook,
): OrderContent => {
  const isOther = ({ id, quantity }: OrderLine): boolean =>
    (changes.get(id)?.quantity ?? quantity) !== quantity;
  if (!order.lines.some(isOther)) return order;
  const lines = order.lines.flatMap((line) => {
    const change = changes.get(line.id);
    if (!change || change.quantity === line.quantity) return [line];
    stock.move(line, order.warehouseId, change.quantity - line.quantity, change.shouldReturnToStock);
    return change.quantity === 0 ? [] : [inQuantity(line, change.quantity, money)];
  });
  return { ...order, lines };
};

/** Where something is not to be had, the first that is not. The guarantee comes from the stock itself. */
const refuseAboveStock = (
  stock: readonly StockChange[],
  orders: readonly OrderContent[],
  { available }: EditFacts,
): void => {
  for (const { productId, warehouseId, reserved } of stock) {
    const left = available(productId, warehouseId);
    if (left === null || reserved <= left) continue;
    const line = orders.flatMap(({ lines }) => lines).find((one) => one.productId === productId);
    throw new Rejection(
      'out-of-stock',
      `${line?.productRootName ?? productId}: ${reserved} more wanted, ${left} available.`,
      { requestedQuantity: reserved, availableQuantity: left },
    );
  }
};

const added = (
  orders: OrderContent[],
  wanted: WantedEdit,
  facts: EditFacts,
  money: EditMoney,
  stock: StockBook,
): string[] => {
  const { editId, edit } = wanted;
  const ids: string[] = [];
  edit.productsToAdd.forEach((product, index) => {
    const found = facts.products[index];
    if (!found) return;
    const line = addedProduct(product, found, derivedId('added-product', editId, index), wanted, money);
    const order = placed(orders, line, found, wanted, money);
    stock.move(line, order.warehouseId, line.quantity, true);
    ids.push(line.id);
  });
  edit.customItems.forEach((item, index) => {
    const found = facts.items[index];
    if (!found) return;
    const line = addedItem(item, derivedId('added-item', editId, index), wanted, facts, money);
    placed(orders, line, found, wanted, money);
    ids.push(line.id);
  });
  return ids;
};

const withShippingCosts = (
  orders: readonly OrderContent[],
  { orderShippingUpdates }: InvoiceEdit,
  money: EditMoney,
): OrderContent[] =>
  orders.map((order) => {
    const update = orderShippingUpdates.find(({ orderId }) => orderId === order.orderId);
    const shippingCost = update && money.charged(update.shippingCost);
    if (shippingCost === undefined || shippingCost === order.shippingCost) return order;
    return { ...order, shippingCost, shippingCostInStoreCurrency: money.store(shippingCost) };
  });

const shippingProblems = (content: InvoiceContent, { edit, closedOrderIds }: WantedEdit): string[] =>
  edit.orderShippingUpdates.flatMap(({ orderId }, index) => {
    const field = `orderShippingUpdates.${index}.orderId`;
    const isKnown = content.orders.some((order) => order.orderId === orderId);
    if (!isKnown) return [`${field}: must be an order of this invoice`];
    if (closedOrderIds.includes(orderId)) return [`${field}: must be an order that is not cancelled`];
    const isFirst = edit.orderShippingUpdates.findIndex((one) => one.orderId === orderId) === index;
    return isFirst ? [] : [`${field}: must name each order once`];
  });

/** Where nothing is left to be sent, nothing is paid for that, unless staff say what. */
const withoutCost = (order: OrderContent, { orderShippingUpdates }: InvoiceEdit): OrderContent =>
  order.shippingCost === 0 || orderShippingUpdates.some(({ orderId }) => orderId === order.orderId)
    ? order
    : { ...order, shippingCost: 0, shippingCostInStoreCurrency: 0 };

/** Lines and orders whose goods are unavailable, without what the edit adds. */
export const lineProblems = (content: InvoiceContent, wanted: WantedEdit): readonly string[] => [
  ...changesOf(content, wanted).problems,
  ...shippingProblems(content, wanted),
];

/**
 * Lines, orders and their shipping after an edit; prices of what was sold stay, what is new has the prices of now
 * (docs/rules/invoice-editing.md#lines). Errors: Rejection `out-of-stock`.
 */
export const editedLines = (
  content: InvoiceContent,
  wanted: WantedEdit,
  facts: EditFacts,
  money: EditMoney,
): EditedLines => {
  const { changes } = changesOf(content, wanted);
  const book = createStockBook(facts);
  const kept = content.orders.map((order) => changedOrder(order, changes, money, book));
  const isChanged = kept.some((order, index) => order !== content.orders[index]);
  const orders = withShippingCosts(kept, wanted.edit, money);
  const addedLineIds = added(orders, wanted, facts, money, book);
  const stock = book.changes();
  refuseAboveStock(stock, orders, facts);
  const emptiedOrderIds = orders
    .filter(({ lines }, index) => lines.length === 0 && (content.orders[index]?.lines.length ?? 0) > 0)
    .map(({ orderId }) => orderId);
  const sent = orders.map((order) =>
    emptiedOrderIds.includes(order.orderId) ? withoutCost(order, wanted.edit) : order,
  );
  return { orders: sent, stock, addedLineIds, emptiedOrderIds, isChanged };
};
