import { expect } from 'chai';
import fc from 'fast-check';
import type { StockCommand } from '#command/contexts/inventory/stock.commands.ts';
import { stockDecider } from '#command/contexts/inventory/stock.decider.ts';
import type { StockState } from '#command/contexts/inventory/stock.state.ts';
import { inventoryEvents, type InventoryEvent } from '#events/inventory.events.ts';
import { fold } from '#kernel/decider.ts';
import { evolve } from '#kernel/evolution.ts';
import { Rejection } from '#kernel/rejection.ts';
import { given } from '#test/support/given.ts';
import { idNamed } from '#test/support/builders/basket.ts';

const { StockAdjusted, StockReleased, StockReserved, StockRowOpened } = inventoryEvents.create;

const row = { productId: idNamed('mug'), warehouseId: idNamed('east'), sku: 'MUG' };
const opened = (stock: number, trackStock = true) =>
  StockRowOpened({ ...row, stock, trackStock, reorderPoint: null, reorderQuantity: null });
const open = (stock: number): StockCommand => ({
  type: 'OpenStockRow',
  ...row,
  stock,
  trackStock: true,
  reorderPoint: null,
  reorderQuantity: null,
});
const ada = { basketId: idNamed('ada'), placementId: idNamed('first') };
const adaAgain = { basketId: ada.basketId, placementId: idNamed('second') };
const bob = { basketId: idNamed('bob'), placementId: idNamed('third') };
const reserve = (holder: typeof ada, quantity: number): StockCommand => ({
  type: 'ReserveStock',
  ...holder,
  quantity,
});
const release = (holder: typeof ada): StockCommand => ({ type: 'ReleaseStock', ...holder });
const reserved = (holder: typeof ada, quantity: number, change: number, stock: number, all: number) =>
  StockReserved({ ...row, ...holder, quantity, change, stock, reserved: all });

describe('stock', () => {
  it('opens a row once, whatever is said of it later', () => {
    given(stockDecider)
      .when(open(5))
      .then([opened(5)]);
    given(stockDecider, [opened(5)])
      .when(open(99))
      .thenNothing();
  });

  it('gives the last mug to one shopper only', () => {
    const history = [opened(1), reserved(ada, 1, 1, 1, 1)];
    given(stockDecider, history)
      .when(reserve(bob, 1))
      .thenRefused('out-of-stock', { requestedQuantity: 1, availableQuantity: 0 });
  });

  it('answers a repeated reservation with nothing new', () => {
    given(stockDecider, [opened(3), reserved(ada, 2, 2, 3, 2)])
      .when(reserve(ada, 2))
      .thenNothing();
  });

  it('lets a new placement take over what the basket holds', () => {
    const history = [opened(3), reserved(ada, 2, 2, 3, 2)];
    given(stockDecider, history)
      .when(reserve(adaAgain, 3))
      .then([reserved(adaAgain, 3, 1, 3, 3)]);
    given(stockDecider, history)
      .when(reserve(adaAgain, 1))
      .then([reserved(adaAgain, 1, -1, 3, 1)]);
    given(stockDecider, history)
      .when(reserve(adaAgain, 4))
      .thenRefused('out-of-stock', { requestedQuantity: 4, availableQuantity: 3 });
  });

  it('ignores what a replaced placement still sends', () => {
    const history = [opened(3), reserved(ada, 2, 2, 3, 2), reserved(adaAgain, 2, 0, 3, 2)];
    given(stockDecider, history).when(release(ada)).thenNothing();
    given(stockDecider, history).when(reserve(ada, 1)).thenRefused('order-being-placed');
  });

  it('gives back for an expired invoice only what that very placement holds', () => {
    const own: StockCommand = { type: 'ReleaseStock', ...ada };
    const held = [opened(3), reserved(ada, 2, 2, 3, 2)];
    const [released, ...rest] = given(stockDecider, held).when(own).events();
    expect(rest).to.deep.equal([]);
    if (released?.type !== 'StockReleased') expect.fail('nothing was given back');
    const again = [...held, released, reserved(adaAgain, 1, 1, 3, 1)];
    given(stockDecider, again).when(own).thenNothing();
  });

  it('gives everything back once', () => {
    const history = [opened(3), reserved(ada, 2, 2, 3, 2)];
    const released = StockReleased({ ...row, ...ada, quantity: 2, stock: 3, reserved: 0 });
    given(stockDecider, history).when(release(ada)).then([released]);
    given(stockDecider, [...history, released])
      .when(release(ada))
      .thenNothing();
  });

  it('gives back for a later placement what it has not touched yet', () => {
    given(stockDecider, [opened(3), reserved(ada, 2, 2, 3, 2)])
      .when(release(adaAgain))
      .then([StockReleased({ ...row, ...adaAgain, quantity: 2, stock: 3, reserved: 0 })]);
  });

  const turn = (holder: typeof ada, number: number) => ({ ...holder, turn: number });
  const final = (holder: typeof ada): StockCommand => ({ type: 'ReleaseStock', ...holder, isFinal: true });
  const released = (holder: typeof ada, quantity: number) =>
    StockReleased({ ...row, ...holder, quantity, stock: 3, reserved: 0 });

  it('keeps for a later placement what an earlier one gives back that never held it here', () => {
    const history = [opened(3), reserved(turn(adaAgain, 2), 2, 2, 3, 2)];
    given(stockDecider, history)
      .when(release(turn(ada, 1)))
      .thenNothing();
    given(stockDecider, history).when(release(ada)).thenNothing();
    given(stockDecider, history)
      .when(reserve(turn(ada, 1), 3))
      .thenRefused('order-being-placed');
  });

  it('goes to the driver who takes the placement over, and no more to the one before', () => {
    const history = [opened(3), reserved(turn(ada, 1), 2, 2, 3, 2)];
    const takenOver = reserved(turn(ada, 2), 2, 0, 3, 2);
    given(stockDecider, history)
      .when(reserve(turn(ada, 2), 2))
      .then([takenOver]);
    given(stockDecider, [...history, takenOver])
      .when(release(turn(ada, 1)))
      .thenNothing();
    given(stockDecider, [...history, takenOver])
      .when(reserve(turn(ada, 2), 2))
      .thenNothing();
  });

  it('is not reserved again by a driver that comes after everything was given back', () => {
    const history = [opened(3), reserved(turn(ada, 1), 2, 2, 3, 2), released(turn(ada, 2), 2)];
    given(stockDecider, history)
      .when(reserve(turn(ada, 1), 2))
      .thenRefused('order-being-placed');
    given(stockDecider, history)
      .when(reserve(turn(adaAgain, 3), 2))
      .then([reserved(turn(adaAgain, 3), 2, 2, 3, 2)]);
  });

  it('is not reserved again by a driver that comes after its invoice has expired', () => {
    const history = [opened(3), reserved(turn(ada, 2), 2, 2, 3, 2), released(ada, 2)];
    for (const late of [1, 2]) {
      given(stockDecider, history)
        .when(reserve(turn(ada, late), 2))
        .thenRefused('order-being-placed');
    }
    given(stockDecider, history)
      .when(reserve(turn(adaAgain, 3), 2))
      .then([reserved(turn(adaAgain, 3), 2, 2, 3, 2)]);
  });

  it('notes, once, that a placement taken over has failed without holding anything', () => {
    const noted = released(turn(ada, 2), 0);
    given(stockDecider, [opened(3)])
      .when(final(turn(ada, 2)))
      .then([noted]);
    given(stockDecider, [opened(3), noted])
      .when(final(turn(ada, 2)))
      .thenNothing();
    given(stockDecider, [opened(3), noted])
      .when(reserve(turn(ada, 1), 1))
      .thenRefused('order-being-placed');
  });

  it('never counts what is not tracked, and has nothing where there is no row', () => {
    given(stockDecider, [opened(0, false)])
      .when(reserve(ada, 50))
      .thenNothing();
    given(stockDecider).when(reserve(ada, 1)).thenRefused('out-of-stock', { availableQuantity: 0 });
    given(stockDecider).when(release(ada)).thenNothing();
  });

  it('is adjusted to a number or by one, never below what is reserved', () => {
    const history = [opened(5), reserved(ada, 2, 2, 5, 2)];
    const adjust = (change: { to: number } | { by: number }): StockCommand => ({
      type: 'AdjustStock',
      change,
      reason: 'counted',
    });
    given(stockDecider, history)
      .when(adjust({ by: -3 }))
      .then([StockAdjusted({ ...row, adjustedBy: -3, reason: 'counted', stock: 2, reserved: 2 })]);
    given(stockDecider, history)
      .when(adjust({ to: 1 }))
      .thenRefused('stock-below-reserved', { reservedStock: 2 });
    given(stockDecider, history)
      .when(adjust({ to: 5 }))
      .thenNothing();
    given(stockDecider)
      .when(adjust({ to: 5 }))
      .thenRefused('entity-not-found');
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
          const adjusting: StockCommand = { type: 'AdjustStock', change: { by: units }, reason: 'counted' };
          const wish = kind === 'reserve' ? reserve(holder, units) : release(holder);
          try {
            const events = stockDecider.decide(state, kind === 'adjust' ? adjusting : wish);
            for (const event of events) state = evolve(stockDecider.on, state, event);
          } catch (error) {
            if (!(error instanceof Rejection)) throw error;
          }
          if (state.status === 'unopened') throw new Error('the row is open');
          const held = Object.values(state.holds).reduce((sum, { quantity }) => sum + quantity, 0);
          expect(state.reserved).to.equal(held).and.to.be.within(0, state.stock);
        }
      }),
    );
  });
});
