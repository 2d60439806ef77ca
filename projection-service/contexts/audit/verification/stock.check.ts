import { inventoryEvents, type InventoryEvent } from '#events/inventory.events.ts';
import { LevelFold, numberIn, type Levels } from './level-fold.ts';
import { placeOf, type CreateLogCheck } from './log-check.ts';

type Change = (data: unknown, before: Levels) => Levels;

const unchanged: Change = (_data, before) => before;

const less =
  (field: string) =>
  (data: unknown, [stock = 0, reserved = 0]: Levels): Levels => [stock, reserved - numberIn(data, field)];

/** What each event makes of stock and reserved units, by what it says has changed (docs/rules/inventory.md). */
const changes: Readonly<Record<InventoryEvent['type'], Change>> = {
  StockRowOpened: (data) => [numberIn(data, 'stock'), 0],
  StockAdjusted: (data, [stock = 0, reserved = 0]) => [stock + numberIn(data, 'adjustedBy'), reserved],
  ReorderPointChanged: unchanged,
  StockRowChanged: unchanged,
  StockRowRemoved: (_data, [, reserved = 0]) => [0, reserved],
  StockRanLow: unchanged,
  DefaultVariantSoldOut: unchanged,
  DefaultVariantPassedOn: unchanged,
  StockReserved: (data, [stock = 0, reserved = 0]) => [stock, reserved + numberIn(data, 'change')],
  StockReleased: less('quantity'),
  StockAllocated: (data, [stock = 0, reserved = 0]) => [
    stock - numberIn(data, 'quantity'),
    reserved - numberIn(data, 'held'),
  ],
  AllocationReversed: (data, [stock = 0, reserved = 0]) => {
    const units = numberIn(data, 'quantity');
    const isOwed = (data as { readonly isOwed?: unknown } | null)?.isOwed === true;
    return [stock + units, reserved + (isOwed ? units : 0)];
  },
  ReservationReduced: less('quantity'),
  ReservationEdited: (data, [stock = 0, reserved = 0]) => [
    stock,
    reserved - numberIn(data, 'released') - numberIn(data, 'destroyed'),
  ],
};

const eventTypes: ReadonlySet<string> = new Set(inventoryEvents.definitions.map(({ type }) => type));

const shown = ([stock = 0, reserved = 0]: Levels): string => `stock ${stock}, ${reserved} reserved`;

/** Stock and reserved units are what the events of their streams add up to, event by event. */
export const stockCheck: CreateLogCheck = (report) => {
  const rows = new LevelFold([0, 0]);
  return {
    name: 'stock',
    eventTypes,
    take: (event) => {
      const { type, stream, data } = event;
      const change = changes[type as InventoryEvent['type']];
      const stated =
        type === 'StockRowOpened'
          ? [numberIn(data, 'stock'), 0]
          : [numberIn(data, 'stock'), numberIn(data, 'reserved')];
      const expected = rows.take(stream, stated, (before) => [change(data, before)]);
      if (expected)
        report({
          ...placeOf(event),
          found: `${type} says ${shown(stated)}`,
          expected: `${shown(expected)}, as the events of the stream add up`,
        });
    },
  };
};
