import { expect } from 'chai';
import fc from 'fast-check';
import type { StockCommand } from '#command/contexts/inventory/stock.commands.ts';
import { stockDecider } from '#command/contexts/inventory/stock.decider.ts';
import type { StockState } from '#command/contexts/inventory/stock.state.ts';
import { inventoryEvents, type InventoryEvent } from '#events/inventory.events.ts';
import { fold } from '#kernel/decider.ts';
import { evolve } from '#kernel/evolution.ts';
import { Rejection } from '#kernel/rejection.ts';
import { given, inContext } from '#test/support/given.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { stockContext } from '#test/support/sold-goods.ts';

const {
  ReorderPointChanged,
  StockAdjusted,
  StockAllocated,
  StockRanLow,
  StockReleased,
  StockReserved,
  StockRowChanged,
  StockRowOpened,
  StockRowRemoved,
} = inventoryEvents.create;

const row = { productId: idNamed('mug'), warehouseId: idNamed('east'), sku: 'MUG' };
const opened = (stock: number, trackStock = true) =>
  StockRowOpened({ ...row, stock, trackStock, reorderPoint: null, reorderQuantity: null });
const open = (stock: number): StockCommand => ({
  type: 'SaveStockRow',
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

const rules = inContext(stockDecider, () => stockContext);

describe('stock', () => {
  it('opens a row once, whatever is said of it later', () => {
    given(rules)
      .when(open(5))
      .then([opened(5)]);
    given(rules, [opened(5)])
      .when(open(99))
      .thenNothing();
  });

  it('gives the last mug to one shopper only', () => {
    const history = [opened(1), reserved(ada, 1, 1, 1, 1)];
    given(rules, history)
      .when(reserve(bob, 1))
      .thenRefused('out-of-stock', { requestedQuantity: 1, availableQuantity: 0 });
  });

  it('takes over what somebody else counts as to be sold, on top of what it has reserved', () => {
    const history = [opened(5), reserved(ada, 2, 2, 5, 2)];
    const counted = (available: number): StockCommand => ({
      type: 'AdjustStock',
      change: { available },
      reason: 'provider_sync',
    });
    given(rules, history)
      .when(counted(7))
      .then([StockAdjusted({ ...row, adjustedBy: 4, reason: 'provider_sync', stock: 9, reserved: 2 })]);
    given(rules, history).when(counted(3)).thenNothing();
  });

  it('answers a repeated reservation with nothing new', () => {
    given(rules, [opened(3), reserved(ada, 2, 2, 3, 2)])
      .when(reserve(ada, 2))
      .thenNothing();
  });

  it('lets a new placement take over what the basket holds', () => {
    const history = [opened(3), reserved(ada, 2, 2, 3, 2)];
    given(rules, history)
      .when(reserve(adaAgain, 3))
      .then([reserved(adaAgain, 3, 1, 3, 3)]);
    given(rules, history)
      .when(reserve(adaAgain, 1))
      .then([reserved(adaAgain, 1, -1, 3, 1)]);
    given(rules, history)
      .when(reserve(adaAgain, 4))
      .thenRefused('out-of-stock', { requestedQuantity: 4, availableQuantity: 3 });
  });

  it('ignores what a replaced placement still sends', () => {
    const history = [opened(3), reserved(ada, 2, 2, 3, 2), reserved(adaAgain, 2, 0, 3, 2)];
    given(rules, history).when(release(ada)).thenNothing();
    given(rules, history).when(reserve(ada, 1)).thenRefused('order-being-placed');
  });

  it('gives back for an expired invoice only what that very placement holds', () => {
    const own: StockCommand = { type: 'ReleaseStock', ...ada };
    const held = [opened(3), reserved(ada, 2, 2, 3, 2)];
    const [released, ...rest] = given(rules, held).when(own).events();
    expect(rest).to.deep.equal([]);
    if (released?.type !== 'StockReleased') expect.fail('nothing was given back');
    const again = [...held, released, reserved(adaAgain, 1, 1, 3, 1)];
    given(rules, again).when(own).thenNothing();
  });

  it('gives everything back once', () => {
    const history = [opened(3), reserved(ada, 2, 2, 3, 2)];
    const released = StockReleased({ ...row, ...ada, quantity: 2, stock: 3, reserved: 0 });
    given(rules, history).when(release(ada)).then([released]);
    given(rules, [...history, released])
      .when(release(ada))
      .thenNothing();
  });

  it('gives back for a later placement what it has not touched yet', () => {
    given(rules, [opened(3), reserved(ada, 2, 2, 3, 2)])
      .when(release(adaAgain))
      .then([StockReleased({ ...row, ...adaAgain, quantity: 2, stock: 3, reserved: 0 })]);
  });

  const turn = (holder: typeof ada, number: number) => ({ ...holder, turn: number });
  const final = (holder: typeof ada): StockCommand => ({ type: 'ReleaseStock', ...holder, isFinal: true });
  const released = (holder: typeof ada, quantity: number) =>
    StockReleased({ ...row, ...holder, quantity, stock: 3, reserved: 0 });

  it('keeps for a later placement what an earlier one gives back that never held it here', () => {
    const history = [opened(3), reserved(turn(adaAgain, 2), 2, 2, 3, 2)];
    given(rules, history)
      .when(release(turn(ada, 1)))
      .thenNothing();
    given(rules, history).when(release(ada)).thenNothing();
    given(rules, history)
      .when(reserve(turn(ada, 1), 3))
      .thenRefused('order-being-placed');
  });

  it('goes to the driver who takes the placement over, and no more to the one before', () => {
    const history = [opened(3), reserved(turn(ada, 1), 2, 2, 3, 2)];
    const takenOver = reserved(turn(ada, 2), 2, 0, 3, 2);
    given(rules, history)
      .when(reserve(turn(ada, 2), 2))
      .then([takenOver]);
    given(rules, [...history, takenOver])
      .when(release(turn(ada, 1)))
      .thenNothing();
    given(rules, [...history, takenOver])
      .when(reserve(turn(ada, 2), 2))
      .thenNothing();
  });

  it('is not reserved again by a driver that comes after everything was given back', () => {
    const history = [opened(3), reserved(turn(ada, 1), 2, 2, 3, 2), released(turn(ada, 2), 2)];
    given(rules, history)
      .when(reserve(turn(ada, 1), 2))
      .thenRefused('order-being-placed');
    given(rules, history)
      .when(reserve(turn(adaAgain, 3), 2))
      .then([reserved(turn(adaAgain, 3), 2, 2, 3, 2)]);
  });

  it('is not reserved again by a driver that comes after its invoice has expired', () => {
    const history = [opened(3), reserved(turn(ada, 2), 2, 2, 3, 2), released(ada, 2)];
    for (const late of [1, 2]) {
      given(rules, history)
        .when(reserve(turn(ada, late), 2))
        .thenRefused('order-being-placed');
    }
    given(rules, history)
      .when(reserve(turn(adaAgain, 3), 2))
      .then([reserved(turn(adaAgain, 3), 2, 2, 3, 2)]);
  });

  it('notes, once, that a placement taken over has failed without holding anything', () => {
    const noted = released(turn(ada, 2), 0);
    given(rules, [opened(3)])
      .when(final(turn(ada, 2)))
      .then([noted]);
    given(rules, [opened(3), noted])
      .when(final(turn(ada, 2)))
      .thenNothing();
    given(rules, [opened(3), noted])
      .when(reserve(turn(ada, 1), 1))
      .thenRefused('order-being-placed');
  });

  it('never counts what is not tracked, and has nothing where there is no row', () => {
    given(rules, [opened(0, false)])
      .when(reserve(ada, 50))
      .thenNothing();
    given(rules).when(reserve(ada, 1)).thenRefused('out-of-stock', { availableQuantity: 0 });
    given(rules).when(release(ada)).thenNothing();
  });

  it('is adjusted to a number or by one, never below what is reserved', () => {
    const history = [opened(5), reserved(ada, 2, 2, 5, 2)];
    const adjust = (change: { to: number } | { by: number }): StockCommand => ({
      type: 'AdjustStock',
      change,
      reason: 'counted',
    });
    given(rules, history)
      .when(adjust({ by: -1 }))
      .then([StockAdjusted({ ...row, adjustedBy: -1, reason: 'counted', stock: 4, reserved: 2 })]);
    given(rules, history)
      .when(adjust({ to: 1 }))
      .thenRefused('stock-below-reserved', { reservedStock: 2 });
    given(rules, history)
      .when(adjust({ to: 5 }))
      .thenNothing();
    given(rules)
      .when(adjust({ to: 5 }))
      .thenRefused('entity-not-found');
  });

  const count = (to: number, reorderPoint?: number | null): StockCommand => ({
    type: 'AdjustStock',
    change: { to },
    reason: 'counted',
    ...(reorderPoint === undefined ? {} : { reorderPoint }),
  });
  const low = (stock: number, threshold: number) => StockRanLow({ ...row, threshold, stock, reserved: 0 });

  it('is never corrected below nothing', () => {
    given(rules, [opened(2)])
      .when({ type: 'AdjustStock', change: { by: -3 }, reason: 'counted' })
      .thenRefused('stock-below-reserved', { reservedStock: 0, wantedStock: -1 });
  });

  it('is told to be low when it comes down to the threshold, and again only after it was above', () => {
    const asked = given(rules, [opened(5)]);
    expect(
      asked
        .when(count(4))
        .events()
        .map(({ type }) => type),
    ).to.deep.equal(['StockAdjusted']);
    expect(asked.when(count(3)).events()).to.deep.include(low(3, 3));
    const told = asked.after(count(3));
    expect(
      told
        .when(count(1))
        .events()
        .map(({ type }) => type),
    ).to.deep.equal(['StockAdjusted']);
    expect(told.after(count(4)).when(count(2)).events()).to.deep.include(low(2, 3));
  });

  it('is low by its own reorder point, from the moment that it has one', () => {
    const asked = given(rules, [opened(9)]);
    expect(asked.when(count(8, 8)).events()).to.deep.equal([
      ReorderPointChanged({ ...row, reorderPoint: 8, stock: 9, reserved: 0 }),
      StockAdjusted({ ...row, adjustedBy: -1, reason: 'counted', stock: 8, reserved: 0 }),
      low(8, 8),
    ]);
    asked.when(count(9, 2)).then([ReorderPointChanged({ ...row, reorderPoint: 2, stock: 9, reserved: 0 })]);
    asked.after(count(9, 2)).when(count(9, 2)).thenNothing();
    const withoutOne = asked.after(count(9, 2)).after(count(9, null));
    expect(withoutOne.when(count(3)).events()).to.deep.include(low(3, 3));
  });

  it('passes the default on once when the last units of the default variant are gone', () => {
    const rootId = idNamed('root');
    const isDefault = inContext(stockDecider, () => ({ ...stockContext, passesOnDefault: () => rootId }));
    const types = (asked: { events(): readonly InventoryEvent[] }) => asked.events().map(({ type }) => type);
    const asked = given(isDefault, [opened(1)]);
    expect(types(asked.when(count(0)))).to.include('DefaultVariantSoldOut');
    const again = asked.after(count(0)).after(count(1));
    expect(types(again.when(count(0)))).to.not.include('DefaultVariantSoldOut');
    const ended = again.after({ type: 'EndPassingOnDefault' });
    expect(types(ended.when(count(0)))).to.include('DefaultVariantSoldOut');
    ended.when({ type: 'EndPassingOnDefault' }).thenNothing();
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
            const events = rules.decide(state, kind === 'adjust' ? adjusting : wish);
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

describe('a row that staff change, or take away', () => {
  const said = { trackStock: true, reorderPoint: null, reorderQuantity: null };
  const save = (changes: object): StockCommand => ({ type: 'SaveStockRow', ...row, ...changes });
  const changed = (changes: object, units = 5, held = 0) =>
    StockRowChanged({ ...row, ...said, ...changes, stock: units, reserved: held });
  const remove: StockCommand = { type: 'RemoveStockRow' };
  const removed = StockRowRemoved({ ...row, stock: 0, reserved: 0 });

  it('keeps its units, and what nothing is said of', () => {
    given(rules, [opened(5)])
      .when(save({ reorderQuantity: 12, stock: 99 }))
      .then([changed({ reorderQuantity: 12 })]);
    given(rules, [opened(5), changed({ reorderPoint: 3, reorderQuantity: 12 })])
      .when(save({ trackStock: false }))
      .then([changed({ reorderPoint: 3, reorderQuantity: 12, trackStock: false })]);
    given(rules, [opened(5)])
      .when(save(said))
      .thenNothing();
  });

  it('that is not counted any more still lets go what was reserved', () => {
    const before = [opened(5), reserved(ada, 2, 2, 5, 2), changed({ trackStock: false }, 5, 2)] as const;
    given(rules, before)
      .when(release(ada))
      .then([StockReleased({ ...row, ...ada, quantity: 2, stock: 5, reserved: 0 })]);
    const shipment = { shipmentId: idNamed('shipment'), quantity: 3 };
    const { now: movedAt } = stockContext;
    given(rules, before)
      .when({ type: 'AllocateStock', ...ada, ...shipment })
      .then([
        StockAllocated({ ...row, ...ada, ...shipment, quantity: 2, held: 2, stock: 3, reserved: 0, movedAt }),
      ]);
    given(rules, before)
      .when({ type: 'AllocateStock', ...bob, ...shipment })
      .thenNothing();
  });

  it('goes with its units, once', () => {
    const writtenOff = { adjustedBy: -5, reason: 'row_removed', stock: 0, reserved: 0 };
    given(rules, [opened(5)])
      .when(remove)
      .then([StockAdjusted({ ...row, ...writtenOff }), removed]);
    given(rules, [opened(0)])
      .when(remove)
      .then([removed]);
    given(rules, [opened(0), removed])
      .when(remove)
      .thenNothing();
    given(rules).when(remove).thenNothing();
  });

  it('stays while something is reserved there', () => {
    given(rules, [opened(5), reserved(ada, 2, 2, 5, 2)])
      .when(remove)
      .thenRefused('stock-reserved');
  });

  it('that is gone has nothing, until it is opened again; what is late is known still', () => {
    const before = [
      opened(5),
      reserved(ada, 2, 2, 5, 2),
      StockReleased({ ...row, ...ada, quantity: 2, stock: 5, reserved: 0 }),
      removed,
    ] as const;
    given(rules, before).when(reserve(bob, 1)).thenRefused('out-of-stock');
    given(rules, before)
      .when({ type: 'AdjustStock', change: { to: 3 }, reason: 'counted' })
      .thenRefused('entity-not-found');
    given(rules, before)
      .when(open(7))
      .then([opened(7)]);
    given(rules, [...before, opened(7)])
      .when(reserve(ada, 2))
      .thenRefused('order-being-placed');
  });
});
