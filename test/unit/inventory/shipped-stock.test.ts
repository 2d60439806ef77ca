import { expect } from 'chai';
import type { StockCommand } from '#command/contexts/inventory/stock.commands.ts';
import { stockDecider } from '#command/contexts/inventory/stock.decider.ts';
import { inventoryEvents, type InventoryEvent } from '#events/inventory.events.ts';
import { given, inContext } from '#test/support/given.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { stockContext } from '#test/support/sold-goods.ts';

const { StockAllocated, StockReserved, StockRowOpened } = inventoryEvents.create;

const row = { productId: idNamed('mug'), warehouseId: idNamed('east'), sku: 'MUG' };
const ada = { basketId: idNamed('ada'), placementId: idNamed('first'), turn: 1 };
const bob = { basketId: idNamed('bob'), placementId: idNamed('second'), turn: 1 };
const rules = inContext(stockDecider, () => stockContext);

const opened = (stock: number, trackStock = true) =>
  StockRowOpened({ ...row, stock, trackStock, reorderPoint: null, reorderQuantity: null });
const reserved = (holder: typeof ada, quantity: number, stock: number, all = quantity) =>
  StockReserved({ ...row, ...holder, quantity, change: quantity, stock, reserved: all });

const allocate = (shipment: string, quantity: number, holder = ada): StockCommand => ({
  type: 'AllocateStock',
  ...holder,
  shipmentId: idNamed(shipment),
  quantity,
});
const reverse = (shipment: string, quantity: number, isOwed = true): StockCommand => ({
  type: 'ReverseAllocation',
  ...ada,
  shipmentId: idNamed(shipment),
  quantity,
  isOwed,
});
const reduce = (quantity: number): StockCommand => ({
  type: 'ReduceReservation',
  ...ada,
  moveId: 'release',
  quantity,
});
const reserve = (quantity: number, holder = ada): StockCommand => ({
  type: 'ReserveStock',
  ...holder,
  quantity,
});

const after = (
  history: readonly InventoryEvent[],
  ...commands: readonly StockCommand[]
): InventoryEvent[] => {
  const events = [...history];
  for (const command of commands) events.push(...given(rules, events).when(command).events());
  return events;
};
const stateOf = (events: readonly InventoryEvent[]) => {
  const state = given(rules, events).state();
  if (state.status !== 'open') throw new Error('the row is open');
  return state;
};
const levelsOf = (events: readonly InventoryEvent[]) => {
  const { stock, reserved: held } = stateOf(events);
  return [stock, held];
};

describe('stock that is shipped', () => {
  const held = [opened(10), reserved(ada, 3, 10)];

  it('leaves together with its reservation, which is gone with the last unit', () => {
    const part = after(held, allocate('one', 2));
    expect(levelsOf(part)).to.deep.equal([8, 1]);
    expect(stateOf(part).holds[ada.basketId]?.quantity).to.equal(1);
    const all = after(part, allocate('two', 1));
    expect(levelsOf(all)).to.deep.equal([7, 0]);
    expect(stateOf(all).holds).to.deep.equal({});
  });

  it('leaves once, however often it is asked for', () => {
    given(rules, after(held, allocate('one', 2)))
      .when(allocate('one', 2))
      .thenNothing();
    given(rules, after(held, allocate('one', 2), reverse('one', 2)))
      .when(allocate('one', 2))
      .thenNothing();
    given(rules, after(held, allocate('one', 2), reverse('one', 2)))
      .when(reverse('one', 2))
      .thenNothing();
  });

  it('comes back reserved while it is owed, else only to the shelf', () => {
    expect(levelsOf(after(held, allocate('one', 3), reverse('one', 3)))).to.deep.equal([10, 3]);
    expect(levelsOf(after(held, allocate('one', 3), reverse('one', 3, false)))).to.deep.equal([10, 0]);
    const again = after(held, allocate('one', 3), reverse('one', 3), allocate('two', 3));
    expect(levelsOf(again)).to.deep.equal([7, 0]);
  });

  it('takes what is free where the reservation falls short, and nothing that others have reserved', () => {
    const scarce = [opened(4), reserved(ada, 1, 4), reserved(bob, 2, 4, 3)];
    expect(levelsOf(after(scarce, allocate('one', 3)))).to.deep.equal([2, 2]);
    const events = after(scarce, allocate('one', 3), reverse('one', 3, false));
    expect(levelsOf(events)).to.deep.equal([4, 2]);
  });

  it('is reserved no more by a placement that comes late, in part or all of it', () => {
    given(rules, after(held, allocate('one', 2)))
      .when(reserve(3))
      .thenNothing();
    given(rules, after(held, allocate('one', 3)))
      .when(reserve(3))
      .thenRefused('order-being-placed');
  });

  it('of which an order gives up a part keeps the rest reserved', () => {
    const less = after(held, reduce(1));
    expect(levelsOf(less)).to.deep.equal([10, 2]);
    given(rules, less).when(reduce(1)).thenNothing();
    expect(levelsOf(after(held, allocate('one', 2), reduce(3)))).to.deep.equal([8, 0]);
  });

  it('is told to be low on the way out, once', () => {
    const events = after(
      [opened(5), reserved(ada, 3, 5)],
      allocate('one', 1),
      allocate('two', 1),
      allocate('three', 1),
    );
    const low = events.filter(({ type }) => type === 'StockRanLow').map(({ data }) => data);
    expect(low).to.have.length(1);
    expect(low[0]).to.include({ stock: 3, threshold: 3, reserved: 1 });
  });

  it('moves nothing where it is not tracked, or where there is no row', () => {
    for (const command of [allocate('one', 1), reverse('one', 1), reduce(1)]) {
      given(rules, [opened(0, false)])
        .when(command)
        .thenNothing();
      given(rules, []).when(command).thenNothing();
    }
  });

  describe('remembers', () => {
    const { turn: _turn, ...adaHolds } = ada;
    /** So many are sold to as many, and sent off one by one: how far apart, in seconds. */
    const sentOff = (count: number, apartSeconds: number): InventoryEvent[] => {
      const numbers = Array.from({ length: count }, (_, index) => index);
      const holder = (index: number) => ({ ...adaHolds, basketId: idNamed(`basket ${index}`) });
      return [
        opened(5000),
        ...numbers.map((index) => StockReserved({ ...row, ...holder(index), ...one, reserved: index + 1 })),
        ...numbers.map((index) =>
          StockAllocated({
            ...row,
            ...holder(index),
            shipmentId: idNamed(`shipment ${index}`),
            quantity: 1,
            held: 1,
            stock: 5000 - index - 1,
            reserved: count - index - 1,
            movedAt: new Date(Date.parse(stockContext.now) + index * apartSeconds * 1000).toISOString(),
          }),
        ),
      ];
    };
    const one = { quantity: 1, change: 1, stock: 5000 };
    const remembered = (history: readonly InventoryEvent[]): readonly number[] => {
      const { moved, released } = stateOf(history);
      return [moved, released].map(({ newer, older }) => Object.keys({ ...newer, ...older }).length);
    };
    const again = (index: number): StockCommand =>
      allocate(`shipment ${index}`, 1, { ...ada, basketId: idNamed(`basket ${index}`) });

    it('five hundred moves at least and a thousand at most, however fast goods leave', () => {
      const history = sentOff(1700, 1);
      expect(remembered(history)).to.deep.equal([700, 700]);
      given(rules, history).when(again(1200)).thenNothing();
      expect(remembered(sentOff(1500, 1))).to.deep.equal([1000, 1000]);
    });

    it('those of the last hour, and twenty however long ago they were', () => {
      const daily = sentOff(100, 24 * 3600);
      expect(remembered(daily)).to.deep.equal([40, 40]);
      given(rules, daily).when(again(80)).thenNothing();
      const inTwoHours = sentOff(80, 90);
      given(rules, inTwoHours).when(again(40)).thenNothing();
    });
  });
});
