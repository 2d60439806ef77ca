import { inventoryEvents, type InventoryEvent } from '#events/inventory.events.ts';
import type { Decider } from '#kernel/decider.ts';
import { defined } from '#kernel/defined.ts';
import { Rejection } from '#kernel/rejection.ts';
import { MAX_UNITS } from '#values/stock-units.ts';
import { comesLate, takenOver, type Held, type Holder } from '#values/basket-hold.ts';
import { recall } from '#values/recent.ts';
import type {
  AdjustStock,
  AllocateStock,
  EditReservation,
  ReduceReservation,
  ReleaseStock,
  ReserveStock,
  ReverseAllocation,
  StockCommand,
} from './stock.commands.ts';
import type { StockContext } from './stock.context.ts';
import { removeRow, saveRow } from './stock-row.decider.ts';
import { onStockEvents, type OpenStock, type StockState } from './stock.state.ts';

const {
  AllocationReversed,
  DefaultVariantPassedOn,
  DefaultVariantSoldOut,
  ReorderPointChanged,
  ReservationReduced,
  ReservationEdited,
  StockAdjusted,
  StockAllocated,
  StockRanLow,
  StockReleased,
  StockReserved,
} = inventoryEvents.create;

const outOfStock = (requested: number, available: number): Rejection =>
  new Rejection('out-of-stock', `Not enough stock: ${requested} wanted, ${available} available.`, {
    requestedQuantity: requested,
    availableQuantity: available,
  });

const refuseUnits = (stock: number, { stock: before, reserved }: OpenStock): void => {
  if (stock > MAX_UNITS && stock > before) {
    throw new Rejection('quantity-too-large', `stock: a warehouse holds at most ${MAX_UNITS} of a product.`);
  }
  if (stock < reserved) {
    throw new Rejection('stock-below-reserved', `${reserved} are reserved: the stock cannot be ${stock}.`, {
      reservedStock: reserved,
      wantedStock: stock,
    });
  }
};

const setReorderPoint = (state: OpenStock, { reorderPoint, product }: AdjustStock): InventoryEvent[] => {
  if (reorderPoint === undefined || reorderPoint === state.reorderPoint) return [];
  const { productId, warehouseId, sku, stock, reserved } = state;
  const row = { productId, warehouseId, sku, reorderPoint, stock, reserved };
  return [ReorderPointChanged({ ...row, ...defined({ product }) })];
};

/** What follows from stock that goes down: told when a limit is crossed, not while it stays below. */
const goneDown = (before: OpenStock, stock: number, context: StockContext): InventoryEvent[] => {
  const { productId, warehouseId, sku, reserved, trackStock } = before;
  if (!trackStock || stock >= before.stock) return [];
  const threshold = before.reorderPoint ?? context.lowStockThreshold;
  const isLow = before.stock > threshold && stock <= threshold;
  const rootId =
    stock === 0 && before.passesOn === null ? context.passesOnDefault(productId, warehouseId) : null;
  const row = { productId, warehouseId, stock, reserved };
  return [
    ...(isLow ? [StockRanLow({ ...row, sku, threshold })] : []),
    ...(rootId === null ? [] : [DefaultVariantSoldOut({ ...row, rootId })]),
  ];
};

const changedStock = ({ stock, reserved }: OpenStock, change: AdjustStock['change']): number => {
  if ('to' in change) return change.to;
  return 'by' in change ? stock + change.by : change.available + reserved;
};

const adjust = (state: OpenStock, command: AdjustStock, context: StockContext): InventoryEvent[] => {
  const { change, reason } = command;
  const { productId, warehouseId, sku, reserved } = state;
  const stock = changedStock(state, change);
  refuseUnits(stock, state);
  const settled = setReorderPoint(state, command);
  if (stock === state.stock) return settled;
  const adjustedBy = stock - state.stock;
  const { reorderPoint = state.reorderPoint } = command;
  return [
    ...settled,
    StockAdjusted({ productId, warehouseId, sku, adjustedBy, reason, stock, reserved }),
    ...goneDown({ ...state, reorderPoint }, stock, context),
  ];
};

const endPassingOn = (state: OpenStock): InventoryEvent[] => {
  const { productId, warehouseId, stock, reserved, passesOn: rootId } = state;
  return rootId === null ? [] : [DefaultVariantPassedOn({ productId, warehouseId, rootId, stock, reserved })];
};

const isOver = (asking: ReserveStock, released: Held): boolean =>
  comesLate(asking, released) ||
  (asking.placementId === released.placementId && (asking.turn ?? 0) <= (released.turn ?? 0));

const reserve = (state: OpenStock, command: ReserveStock): InventoryEvent[] => {
  const { productId, warehouseId, sku, stock } = state;
  const { basketId, placementId, turn, quantity } = command;
  if (!state.trackStock) return [];
  const hold = state.holds[basketId];
  const released = recall(state.released, basketId);
  if (hold ? comesLate(command, hold) : released && isOver(command, released)) throw takenOver();
  if (hold?.placementId === placementId && hold.quantity === quantity && hold.turn === turn) return [];
  // It is sold and on its way: a placement that still runs comes too late.
  if (hold?.isSold && hold.placementId === placementId && (turn ?? 0) <= (hold.turn ?? 0)) return [];
  const held = hold?.quantity ?? 0;
  const change = quantity - held;
  const available = stock - state.reserved;
  // Both figures count what the basket holds already: it asks for that, and it can have that.
  if (change > 0 && change > available) throw outOfStock(quantity, available + held);
  const reserved = state.reserved + change;
  const holder = { basketId, placementId, ...defined({ turn }) };
  return [StockReserved({ productId, warehouseId, sku, ...holder, quantity, change, stock, reserved })];
};

const release = (state: OpenStock, command: ReleaseStock): InventoryEvent[] => {
  const { productId, warehouseId, sku, stock } = state;
  const { basketId, placementId, turn } = command;
  const hold = state.holds[basketId];
  if (hold ? comesLate(command, hold) : !isToBeNoted(state, command)) return [];
  const quantity = hold?.quantity ?? 0;
  const reserved = state.reserved - quantity;
  const holder = { basketId, placementId, ...defined({ turn }) };
  return [StockReleased({ productId, warehouseId, sku, ...holder, quantity, stock, reserved })];
};

const isToBeNoted = (state: OpenStock, command: ReleaseStock): boolean => {
  const released = recall(state.released, command.basketId);
  const isNoted = released?.placementId === command.placementId && released.turn === command.turn;
  return (
    command.isFinal === true &&
    state.trackStock &&
    !isNoted &&
    (released === undefined || !comesLate(command, released))
  );
};

/** Units that the basket holds in this placement's name, up to a limit. */
const heldOf = ({ holds }: OpenStock, { basketId, placementId }: Holder, quantity: number): number => {
  const hold = holds[basketId];
  return hold?.placementId === placementId ? Math.min(hold.quantity, quantity) : 0;
};

const allocate = (state: OpenStock, command: AllocateStock, context: StockContext): InventoryEvent[] => {
  const { productId, warehouseId, sku } = state;
  const { basketId, placementId, shipmentId } = command;
  if (recall(state.moved, shipmentId)) return [];
  const held = heldOf(state, command, command.quantity);
  // What was reserved while the row was counted leaves as it was sold.
  if (!state.trackStock && held === 0) return [];
  const free = state.trackStock ? Math.max(0, state.stock - state.reserved) : 0;
  const quantity = held + Math.min(command.quantity - held, free);
  const levels = { stock: state.stock - quantity, reserved: state.reserved - held };
  const row = { productId, warehouseId, sku };
  return [
    StockAllocated({
      ...row,
      basketId,
      placementId,
      shipmentId,
      quantity,
      held,
      ...levels,
      movedAt: context.now,
    }),
    ...goneDown({ ...state, reserved: levels.reserved }, levels.stock, context),
  ];
};

const reverse = (
  state: OpenStock,
  command: ReverseAllocation,
  { now: movedAt }: StockContext,
): InventoryEvent[] => {
  const { productId, warehouseId, sku } = state;
  const { basketId, placementId, shipmentId, isOwed } = command;
  const moved = recall(state.moved, shipmentId);
  if ((!state.trackStock && !moved) || moved?.isReversed) return [];
  const { quantity } = moved ?? command;
  const levels = { stock: state.stock + quantity, reserved: state.reserved + (isOwed ? quantity : 0) };
  const row = { productId, warehouseId, sku };
  return [
    AllocationReversed({ ...row, basketId, placementId, shipmentId, quantity, isOwed, ...levels, movedAt }),
  ];
};

const reduce = (
  state: OpenStock,
  command: ReduceReservation,
  { now: movedAt }: StockContext,
): InventoryEvent[] => {
  const { productId, warehouseId, sku, stock } = state;
  const { basketId, placementId, moveId } = command;
  const quantity = heldOf(state, command, command.quantity);
  if (quantity === 0 || recall(state.moved, moveId)) return [];
  const levels = { stock, reserved: state.reserved - quantity };
  return [
    ReservationReduced({
      productId,
      warehouseId,
      sku,
      basketId,
      placementId,
      moveId,
      quantity,
      ...levels,
      movedAt,
    }),
  ];
};

/** An edit that was noted holds nothing in its own name: its late driver may have reserved again. */
const leftBehind = (state: OpenStock, { editId }: EditReservation): InventoryEvent[] =>
  state.holds[editId] === undefined
    ? []
    : release(state, { type: 'ReleaseStock', basketId: editId, placementId: editId });

const editReservation = (
  state: OpenStock,
  command: EditReservation,
  context: StockContext,
): InventoryEvent[] => {
  const { productId, warehouseId, sku, stock } = state;
  const { basketId, placementId, editId } = command;
  const held = state.holds[basketId];
  if (recall(state.moved, editId) || (held && comesLate({ placementId }, held)))
    return leftBehind(state, command);
  const taken = state.holds[editId]?.quantity ?? 0;
  const holds = (held?.quantity ?? 0) + taken;
  // What was sold while the row was not counted is reserved nowhere.
  const destroyed = Math.min(command.destroyed, holds);
  const released = Math.min(command.released, holds - destroyed);
  if (taken + released + destroyed === 0) return [];
  const row = { productId, warehouseId, sku };
  const reserved = state.reserved - released - destroyed;
  const given = { basketId, placementId, editId, taken, released, destroyed };
  const quantity = holds - released - destroyed;
  const edited = ReservationEdited({ ...row, ...given, quantity, stock, reserved, movedAt: context.now });
  if (destroyed === 0) return [edited];
  const left = stock - destroyed;
  const reason = 'edit_return';
  return [
    edited,
    StockAdjusted({ ...row, adjustedBy: -destroyed, reason, stock: left, reserved }),
    ...goneDown({ ...state, reserved }, left, context),
  ];
};

const reserveNothing = ({ quantity }: ReserveStock): InventoryEvent[] => {
  if (quantity > 0) throw outOfStock(quantity, 0);
  return [];
};

/**
 * Stock of one variant in one warehouse: reserved is never below 0 and never above what is there
 * (docs/rules/inventory.md#reservations). Reservations stand in a basket's name; a placement takes over what an earlier
 * one of it held.
 */
export const stockDecider: Decider<StockState, StockCommand, InventoryEvent, StockContext> = {
  category: 'stock',
  initial: () => ({ status: 'unopened' }),
  decide: (state, command, context) => {
    if (command.type === 'SaveStockRow') return saveRow(state, command);
    if (state.status !== 'open') {
      if (command.type === 'ReserveStock') return reserveNothing(command);
      if (command.type !== 'AdjustStock') return [];
      throw new Rejection('entity-not-found', 'There is no such stock row.');
    }
    switch (command.type) {
      case 'RemoveStockRow':
        return removeRow(state, command);
      case 'AdjustStock':
        return adjust(state, command, context);
      case 'EndPassingOnDefault':
        return endPassingOn(state);
      case 'ReserveStock':
        return reserve(state, command);
      case 'ReleaseStock':
        return release(state, command);
      case 'AllocateStock':
        return allocate(state, command, context);
      case 'ReverseAllocation':
        return reverse(state, command, context);
      case 'ReduceReservation':
        return reduce(state, command, context);
      case 'EditReservation':
        return editReservation(state, command, context);
    }
  },
  on: onStockEvents,
  snapshot: { version: 5, every: 200 },
  // Staff's corrections under a key: a difference that is asked for twice counts once. Placements have their own ids.
  remembersCommands: { last: 1000 },
};
