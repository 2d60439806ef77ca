import { expect } from 'chai';
import fc from 'fast-check';
import type { StockCommand } from '#command/contexts/inventory/stock.commands.ts';
import { stockDecider } from '#command/contexts/inventory/stock.decider.ts';
import type { StockState } from '#command/contexts/inventory/stock.state.ts';
import { inventoryEvents, type InventoryEvent } from '#events/inventory.events.ts';
import { fold } from '#kernel/decider.ts';
import { evolve } from '#kernel/evolution.ts';
import { Rejection } from '#kernel/rejection.ts';
import { inContext } from '#test/support/given.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import {
  holder,
  opened,
  release,
  releaseForGood,
  reserve,
  reserved,
  row,
  stockRow,
  stockRules,
  type StockHolder,
} from '#test/support/builders/stock.ts';
import { stockContext } from '#test/support/sold-goods.ts';

const {
  ReorderPointChanged,
  StockAdjusted,
  StockAllocated,
  StockRanLow,
  StockReleased,
  StockReserved,
  StockRowChanged,
  StockRowRemoved,
} = inventoryEvents.create;

const open = (stock: number): StockCommand => ({
  type: 'SaveStockRow',
  ...row,
  stock,
  trackStock: true,
  reorderPoint: null,
  reorderQuantity: null,
});
const adjust = (
  change: Extract<StockCommand, { type: 'AdjustStock' }>['change'],
  reorderPoint?: number | null,
): StockCommand => ({
  type: 'AdjustStock',
  change,
  reason: 'counted',
  ...(reorderPoint === undefined ? {} : { reorderPoint }),
});
const adjusted = (by: number, stock: number, all = 0) =>
  StockAdjusted({ ...row, adjustedBy: by, reason: 'counted', stock, reserved: all });

const ada = holder('ada', 'first');
const adaAgain = holder('ada', 'second');
const bob = holder('bob', 'third');
const turn = (by: StockHolder, number: number) => ({ ...by, turn: number });
/** A reservation that changes what the basket holds. */
const changed = (by: StockHolder, quantity: number, change: number) =>
  StockReserved({ ...row, ...by, quantity, change, stock: 3, reserved: quantity });
const released = (by: StockHolder, quantity: number) =>
  StockReleased({ ...row, ...by, quantity, stock: 3, reserved: 0 });

describe('stock', () => {
  /** Three mugs, of which two are Ada's. */
  const held = stockRow(opened(3), reserved(ada, 2, 3));

  it('opens a row once, whatever is said of it later', () => {
    stockRow()
      .when(open(5))
      .then([opened(5)]);
    stockRow(opened(5)).when(open(99)).thenNothing();
  });

  it('gives the last mug to one shopper only', () => {
    stockRow(opened(1), reserved(ada, 1, 1))
      .when(reserve(bob, 1))
      .thenRefused('out-of-stock', { requestedQuantity: 1, availableQuantity: 0 });
  });

  it('takes over the available units that a provider counts, on top of what is reserved', () => {
    const counted = (available: number): StockCommand => ({
      type: 'AdjustStock',
      change: { available },
      reason: 'provider_sync',
    });
    const tracked = stockRow(opened(5), reserved(ada, 2, 5));
    tracked
      .when(counted(7))
      .then([StockAdjusted({ ...row, adjustedBy: 4, reason: 'provider_sync', stock: 9, reserved: 2 })]);
    tracked.when(counted(3)).thenNothing();
  });

  it('reserves nothing more for a repeated reservation', () => {
    held.when(reserve(ada, 2)).thenNothing();
  });

  it('lets a new placement take over what the basket holds', () => {
    held.when(reserve(adaAgain, 3)).then([changed(adaAgain, 3, 1)]);
    held.when(reserve(adaAgain, 1)).then([changed(adaAgain, 1, -1)]);
    held
      .when(reserve(adaAgain, 4))
      .thenRefused('out-of-stock', { requestedQuantity: 4, availableQuantity: 3 });
  });

  it('ignores what a replaced placement still sends', () => {
    const replaced = held.happened(changed(adaAgain, 2, 0));
    replaced.when(release(ada)).thenNothing();
    replaced.when(reserve(ada, 1)).thenRefused('order-being-placed');
  });

  it('releases for an expired invoice only what that very placement holds', () => {
    held.when(release(ada)).thenLike(['StockReleased']);
    held
      .after(release(ada))
      .happened(reserved(adaAgain, 1, 3))
      .when(release(ada))
      .thenNothing();
  });

  it('releases everything once', () => {
    held.when(release(ada)).then([released(ada, 2)]);
    held.after(release(ada)).when(release(ada)).thenNothing();
  });

  it('releases for a later placement what it has not touched yet', () => {
    held.when(release(adaAgain)).then([released(adaAgain, 2)]);
  });

  it('keeps for a later placement what an earlier one releases without ever having held it here', () => {
    const later = stockRow(opened(3), reserved(turn(adaAgain, 2), 2, 3));
    later.when(release(turn(ada, 1))).thenNothing();
    later.when(release(ada)).thenNothing();
    later.when(reserve(turn(ada, 1), 3)).thenRefused('order-being-placed');
  });

  it('goes to the driver that takes the placement over, and no longer obeys the one before', () => {
    const first = stockRow(opened(3), reserved(turn(ada, 1), 2, 3));
    first.when(reserve(turn(ada, 2), 2)).then([changed(turn(ada, 2), 2, 0)]);
    const takenOver = first.after(reserve(turn(ada, 2), 2));
    takenOver.when(release(turn(ada, 1))).thenNothing();
    takenOver.when(reserve(turn(ada, 2), 2)).thenNothing();
  });

  it('is not reserved again by a driver that comes after everything was released', () => {
    const over = stockRow(opened(3), reserved(turn(ada, 1), 2, 3), released(turn(ada, 2), 2));
    over.when(reserve(turn(ada, 1), 2)).thenRefused('order-being-placed');
    over.when(reserve(turn(adaAgain, 3), 2)).then([reserved(turn(adaAgain, 3), 2, 3)]);
  });

  it('is not reserved again by a driver that comes after its invoice has expired', () => {
    const expired = stockRow(opened(3), reserved(turn(ada, 2), 2, 3), released(ada, 2));
    for (const late of [1, 2]) expired.when(reserve(turn(ada, late), 2)).thenRefused('order-being-placed');
    expired.when(reserve(turn(adaAgain, 3), 2)).then([reserved(turn(adaAgain, 3), 2, 3)]);
  });

  it('notes, once, that a placement taken over has failed without holding anything', () => {
    const end = releaseForGood(turn(ada, 2));
    const empty = stockRow(opened(3));
    empty.when(end).then([released(turn(ada, 2), 0)]);
    empty.after(end).when(end).thenNothing();
    empty
      .after(end)
      .when(reserve(turn(ada, 1), 1))
      .thenRefused('order-being-placed');
  });

  it('is never counted where it is not tracked, and is nothing where there is no row', () => {
    stockRow(opened(0, false)).when(reserve(ada, 50)).thenNothing();
    stockRow().when(reserve(ada, 1)).thenRefused('out-of-stock', { availableQuantity: 0 });
    stockRow().when(release(ada)).thenNothing();
  });

  it('is adjusted to a number or by one, never below what is reserved', () => {
    const five = stockRow(opened(5), reserved(ada, 2, 5));
    five.when(adjust({ by: -1 })).then([adjusted(-1, 4, 2)]);
    five.when(adjust({ to: 1 })).thenRefused('stock-below-reserved', { reservedStock: 2 });
    five.when(adjust({ to: 5 })).thenNothing();
    stockRow()
      .when(adjust({ to: 5 }))
      .thenRefused('entity-not-found');
  });

  it('is never corrected below zero', () => {
    stockRow(opened(2))
      .when(adjust({ by: -3 }))
      .thenRefused('stock-below-reserved', { reservedStock: 0, wantedStock: -1 });
  });

  const low = (stock: number, threshold: number) => StockRanLow({ ...row, threshold, stock, reserved: 0 });

  it('runs low when it comes down to the threshold, and again only after it was above', () => {
    const five = stockRow(opened(5));
    five.when(adjust({ to: 4 })).then([adjusted(-1, 4)]);
    five.when(adjust({ to: 3 })).then([adjusted(-2, 3), low(3, 3)]);
    const three = five.after(adjust({ to: 3 }));
    three.when(adjust({ to: 1 })).then([adjusted(-2, 1)]);
    three
      .after(adjust({ to: 4 }))
      .when(adjust({ to: 2 }))
      .then([adjusted(-2, 2), low(2, 3)]);
  });

  it('runs low at its own reorder point, as soon as it has one', () => {
    const nine = stockRow(opened(9));
    const reorderAt = (reorderPoint: number) =>
      ReorderPointChanged({ ...row, reorderPoint, stock: 9, reserved: 0 });
    nine.when(adjust({ to: 8 }, 8)).then([reorderAt(8), adjusted(-1, 8), low(8, 8)]);
    nine.when(adjust({ to: 9 }, 2)).then([reorderAt(2)]);
    const atTwo = nine.after(adjust({ to: 9 }, 2));
    atTwo.when(adjust({ to: 9 }, 2)).thenNothing();
    atTwo
      .after(adjust({ to: 9 }, null))
      .when(adjust({ to: 3 }))
      .then([adjusted(-6, 3), low(3, 3)]);
  });

  it('passes the default on once when the last units of the default variant are gone', () => {
    const rootId = idNamed('root');
    const isDefault = inContext(stockDecider, { ...stockContext, passesOnDefault: () => rootId });
    const [soldOut, restocked] = [adjust({ to: 0 }), adjust({ to: 1 })];
    const end = { type: 'EndPassingOnDefault' } as const;
    const one = stockRow(opened(1)).now(isDefault);
    one.when(soldOut).thenLike(['StockAdjusted'], ['DefaultVariantSoldOut']);
    const again = one.after(soldOut, restocked);
    again.when(soldOut).thenLike(['StockAdjusted']);
    const ended = again.after(end);
    ended.when(soldOut).thenLike(['StockAdjusted'], ['DefaultVariantSoldOut']);
    ended.when(end).thenNothing();
  });

  const basket = fc.constantFrom('ada', 'bob', 'cy');
  const placement = fc.constantFrom('1', '2', '3');
  const command = fc.oneof(
    fc.record({ kind: fc.constant('reserve'), basket, placement, units: fc.integer({ min: 1, max: 8 }) }),
    fc.record({ kind: fc.constant('release'), basket, placement, units: fc.constant(0) }),
    fc.record({ kind: fc.constant('adjust'), basket, placement, units: fc.integer({ min: -6, max: 6 }) }),
  );

  it('never reserves less than nothing nor more than there is, whatever happens in whatever order', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 12 }), fc.array(command, { maxLength: 60 }), (stock, wishes) => {
        let state: StockState = fold(stockDecider, [opened(stock) as InventoryEvent]);
        for (const { kind, basket: who, placement: which, units } of wishes) {
          const holder = { basketId: who, placementId: `${who} ${which}` };
          const wish = kind === 'reserve' ? reserve(holder, units) : release(holder);
          try {
            const events = stockRules.decide(state, kind === 'adjust' ? adjust({ by: units }) : wish);
            for (const event of events) state = evolve(stockDecider.on, state, event);
          } catch (error) {
            if (!(error instanceof Rejection)) throw error;
          }
          if (state.status !== 'open') throw new Error('the row is open');
          const held = Object.values(state.holds).reduce((sum, { quantity }) => sum + quantity, 0);
          expect(state.reserved).to.equal(held).and.to.be.within(0, state.stock);
        }
      }),
    );
  });
});

describe('a row that staff change or remove', () => {
  const said = { trackStock: true, reorderPoint: null, reorderQuantity: null };
  const save = (changes: object): StockCommand => ({ type: 'SaveStockRow', ...row, ...changes });
  const saved = (changes: object, units = 5, all = 0) =>
    StockRowChanged({ ...row, ...said, ...changes, stock: units, reserved: all });
  const remove: StockCommand = { type: 'RemoveStockRow' };
  const removed = StockRowRemoved({ ...row, stock: 0, reserved: 0 });
  const five = stockRow(opened(5));

  it('keeps its units, and every setting that is not given', () => {
    five.when(save({ reorderQuantity: 12, stock: 99 })).then([saved({ reorderQuantity: 12 })]);
    five
      .happened(saved({ reorderPoint: 3, reorderQuantity: 12 }))
      .when(save({ trackStock: false }))
      .then([saved({ reorderPoint: 3, reorderQuantity: 12, trackStock: false })]);
    five.when(save(said)).thenNothing();
  });

  it('that is no longer tracked still lets go what was reserved', () => {
    const untracked = five.happened(reserved(ada, 2, 5), saved({ trackStock: false }, 5, 2));
    untracked
      .when(release(ada))
      .then([StockReleased({ ...row, ...ada, quantity: 2, stock: 5, reserved: 0 })]);
    const shipment = { shipmentId: idNamed('shipment'), quantity: 3 };
    const moved = { quantity: 2, held: 2, stock: 3, reserved: 0, movedAt: stockContext.now };
    untracked
      .when({ type: 'AllocateStock', ...ada, ...shipment })
      .then([StockAllocated({ ...row, ...ada, ...shipment, ...moved })]);
    untracked.when({ type: 'AllocateStock', ...bob, ...shipment }).thenNothing();
  });

  it('is removed with its units, once', () => {
    const writtenOff = StockAdjusted({
      ...row,
      adjustedBy: -5,
      reason: 'row_removed',
      stock: 0,
      reserved: 0,
    });
    five.when(remove).then([writtenOff, removed]);
    stockRow(opened(0)).when(remove).then([removed]);
    stockRow(opened(0), removed).when(remove).thenNothing();
    stockRow().when(remove).thenNothing();
  });

  it('cannot be removed while something is reserved there', () => {
    five
      .happened(reserved(ada, 2, 5))
      .when(remove)
      .thenRefused('stock-reserved');
  });

  it('that was removed has nothing until it is opened again; what is late is still known', () => {
    const gone = five.happened(
      reserved(ada, 2, 5),
      StockReleased({ ...row, ...ada, quantity: 2, stock: 5, reserved: 0 }),
      removed,
    );
    gone.when(reserve(bob, 1)).thenRefused('out-of-stock');
    gone.when(adjust({ to: 3 })).thenRefused('entity-not-found');
    gone.when(open(7)).then([opened(7)]);
    gone.happened(opened(7)).when(reserve(ada, 2)).thenRefused('order-being-placed');
  });
});
