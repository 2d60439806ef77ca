import { expect } from 'chai';
import type { StockCommand } from '#command/contexts/inventory/stock.commands.ts';
import { inventoryEvents } from '#events/inventory.events.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import {
  allocate,
  holder,
  opened,
  openState,
  reserve,
  reserved,
  row,
  stockRow,
  type StockRow,
} from '#test/support/builders/stock.ts';
import { stockContext } from '#test/support/sold-goods.ts';

const { StockAllocated, StockReserved } = inventoryEvents.create;

const ada = { ...holder('ada', 'first'), turn: 1 };
const bob = { ...holder('bob', 'second'), turn: 1 };

const ship = (shipment: string, quantity: number, by = ada) => allocate(by, shipment, quantity);
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

const levelsOf = (of: StockRow) => {
  const { stock, reserved: all } = openState(of);
  return [stock, all];
};

describe('stock that is shipped', () => {
  /** Ten mugs, of which three are Ada's. */
  const held = stockRow(opened(10), reserved(ada, 3, 10));

  it('leaves together with its reservation, which ends with the last unit', () => {
    const part = held.after(ship('one', 2));
    expect(levelsOf(part)).to.deep.equal([8, 1]);
    expect(openState(part).holds[ada.basketId]?.quantity).to.equal(1);
    const all = part.after(ship('two', 1));
    expect(levelsOf(all)).to.deep.equal([7, 0]);
    expect(openState(all).holds).to.deep.equal({});
  });

  it('leaves once, however often it is asked for', () => {
    const shipped = held.after(ship('one', 2));
    shipped.when(ship('one', 2)).thenNothing();
    const reversed = shipped.after(reverse('one', 2));
    reversed.when(ship('one', 2)).thenNothing();
    reversed.when(reverse('one', 2)).thenNothing();
  });

  it('comes back reserved while it is owed, otherwise only to the shelf', () => {
    const shipped = held.after(ship('one', 3));
    expect(levelsOf(shipped.after(reverse('one', 3)))).to.deep.equal([10, 3]);
    expect(levelsOf(shipped.after(reverse('one', 3, false)))).to.deep.equal([10, 0]);
    expect(levelsOf(shipped.after(reverse('one', 3), ship('two', 3)))).to.deep.equal([7, 0]);
  });

  it('takes free units where the reservation falls short, and none that others have reserved', () => {
    const scarce = stockRow(opened(4), reserved(ada, 1, 4), reserved(bob, 2, 4, 3));
    const shipped = scarce.after(ship('one', 3));
    expect(levelsOf(shipped)).to.deep.equal([2, 2]);
    expect(levelsOf(shipped.after(reverse('one', 3, false)))).to.deep.equal([4, 2]);
  });

  it('is not reserved again by a placement that comes late, whether part or all of it has left', () => {
    held.after(ship('one', 2)).when(reserve(ada, 3)).thenNothing();
    held.after(ship('one', 3)).when(reserve(ada, 3)).thenRefused('order-being-placed');
  });

  it('stays reserved except for the part that an order gives up', () => {
    const less = held.after(reduce(1));
    expect(levelsOf(less)).to.deep.equal([10, 2]);
    less.when(reduce(1)).thenNothing();
    expect(levelsOf(held.after(ship('one', 2), reduce(3)))).to.deep.equal([8, 0]);
  });

  it('runs low on the way out, once', () => {
    const { history } = stockRow(opened(5), reserved(ada, 3, 5)).after(
      ship('one', 1),
      ship('two', 1),
      ship('three', 1),
    );
    const low = history.filter(({ type }) => type === 'StockRanLow').map(({ data }) => data);
    expect(low).to.have.length(1);
    expect(low[0]).to.include({ stock: 3, threshold: 3, reserved: 1 });
  });

  it('does not move where it is not tracked, or where there is no row', () => {
    for (const command of [ship('one', 1), reverse('one', 1), reduce(1)]) {
      stockRow(opened(0, false)).when(command).thenNothing();
      stockRow().when(command).thenNothing();
    }
  });

  describe('remembers', () => {
    const { turn: _turn, ...adaHolds } = ada;
    /** `count` mugs are sold to `count` shoppers, then shipped one by one, `apartSeconds` apart. */
    const sentOff = (count: number, apartSeconds: number): StockRow => {
      const numbers = Array.from({ length: count }, (_, index) => index);
      const buyer = (index: number) => ({ ...adaHolds, basketId: idNamed(`basket ${index}`) });
      const one = { quantity: 1, change: 1, stock: 5000 };
      return stockRow(
        opened(5000),
        ...numbers.map((index) => StockReserved({ ...row, ...buyer(index), ...one, reserved: index + 1 })),
        ...numbers.map((index) =>
          StockAllocated({
            ...row,
            ...buyer(index),
            shipmentId: idNamed(`shipment ${index}`),
            quantity: 1,
            held: 1,
            stock: 5000 - index - 1,
            reserved: count - index - 1,
            movedAt: new Date(Date.parse(stockContext.now) + index * apartSeconds * 1000).toISOString(),
          }),
        ),
      );
    };
    const remembered = (of: StockRow): readonly number[] => {
      const { moved, released } = openState(of);
      return [moved, released].map(({ newer, older }) => Object.keys({ ...newer, ...older }).length);
    };
    const again = (index: number): StockCommand =>
      ship(`shipment ${index}`, 1, { ...ada, basketId: idNamed(`basket ${index}`) });

    it('500 to 1,000 moves, however fast goods leave', () => {
      const history = sentOff(1700, 1);
      expect(remembered(history)).to.deep.equal([700, 700]);
      history.when(again(1200)).thenNothing();
      expect(remembered(sentOff(1500, 1))).to.deep.equal([1000, 1000]);
    });

    it('those of the last hour, and 20 however long ago they were', () => {
      const daily = sentOff(100, 24 * 3600);
      expect(remembered(daily)).to.deep.equal([40, 40]);
      daily.when(again(80)).thenNothing();
      sentOff(80, 90).when(again(40)).thenNothing();
    });
  });
});
