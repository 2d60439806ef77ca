import type { OrderAddon, OrderContent, OrderLine } from '#events/invoice.fields.ts';
import type { Minor } from '#values/money.ts';
import { settleReductions } from '../priced-pieces.ts';

/** A line of an invoice, or an add-on that was sold with one, as discounts and tax see it. Invoice currency. */
export interface EditedPiece {
  readonly id: string;
  /** By which discounts name it. */
  readonly key: string;
  readonly orderId: string;
  readonly warehouseId: string | null;
  readonly line: OrderLine;
  readonly isAddon: boolean;
  readonly quantity: number;
  readonly total: Minor;
  /** What discounts can take and tax is on: less what an add-on takes off. */
  worth: Minor;
  readonly taxRate: number;
  readonly isTaxable: boolean;
  /** The edit that added it; 0 of what was sold. */
  readonly edit: number;
  /** As they were before. */
  readonly discount: Minor;
  readonly tax: Minor;
}

const keyOf = ({ id, basketLineId }: Pick<OrderLine | OrderAddon, 'id' | 'basketLineId'>): string =>
  basketLineId ?? id;

const pieceOf = (
  { orderId, warehouseId }: OrderContent,
  line: OrderLine,
  piece: OrderLine | OrderAddon,
): EditedPiece => ({
  id: piece.id,
  key: keyOf(piece),
  orderId,
  warehouseId,
  line,
  isAddon: piece !== line,
  quantity: line.quantity,
  total: piece.lineTotal,
  worth: piece.lineTotal,
  taxRate: piece.taxRate,
  isTaxable: piece.isTaxable,
  edit: line.edit ?? 0,
  discount: piece.discount,
  tax: piece.tax,
});

/** Every line of an invoice and behind it its add-ons. */
export const editedPieces = (orders: readonly OrderContent[]): EditedPiece[] =>
  orders.flatMap((order) =>
    order.lines.flatMap((line) => {
      const pieces = [line, ...(line.addons ?? [])].map((piece) => pieceOf(order, line, piece));
      settleReductions(pieces);
      return pieces;
    }),
  );
