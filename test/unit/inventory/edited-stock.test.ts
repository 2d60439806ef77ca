import { expect } from 'chai';
import type { StockCommand } from '#command/contexts/inventory/stock.commands.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import {
  allocate,
  holder,
  opened,
  openState,
  releaseForGood,
  reserve,
  reserved,
  stockRow,
  type StockRow,
} from '#test/support/builders/stock.ts';

const ada = holder('ada', 'first');
const later = { ...holder('ada', 'second'), turn: 2 };
const inName = (edit: string) => holder(edit, edit);

/** Ten mugs, of which three are Ada's. */
const sold = stockRow(opened(10), reserved({ ...ada, turn: 1 }, 3, 10));

interface Moves {
  readonly released?: number;
  readonly destroyed?: number;
}
const follow = (edit: string, { released = 0, destroyed = 0 }: Moves = {}): StockCommand => ({
  type: 'EditReservation',
  ...ada,
  editId: idNamed(edit),
  released,
  destroyed,
});

const levelsOf = (row: StockRow) => {
  const { stock, reserved: all, holds } = openState(row);
  const held = Object.values(holds).reduce((sum, { quantity }) => sum + quantity, 0);
  return { stock, reserved: all, held, ofBasket: holds[ada.basketId]?.quantity ?? 0 };
};

describe('stock of an invoice that is edited (docs/rules/invoice-editing.md#stock)', () => {
  it('is reserved for the edit first, and goes to the basket together with it', () => {
    const taken = sold.after(reserve(inName('edit'), 2));
    expect(levelsOf(taken)).to.deep.equal({ stock: 10, reserved: 5, held: 5, ofBasket: 3 });
    const done = taken.after(follow('edit'));
    expect(levelsOf(done)).to.deep.equal({ stock: 10, reserved: 5, held: 5, ofBasket: 5 });
  });

  it('goes back on the shelf or leaves it, and one edit can add and remove', () => {
    const released = sold.after(follow('edit', { released: 2 }));
    expect(levelsOf(released)).to.include({ stock: 10, reserved: 1, ofBasket: 1 });
    const destroyed = sold.after(follow('edit', { destroyed: 2 }));
    expect(levelsOf(destroyed)).to.include({ stock: 8, reserved: 1, ofBasket: 1 });
    const both = sold.after(reserve(inName('edit'), 1), follow('edit', { destroyed: 2 }));
    expect(levelsOf(both)).to.deep.equal({ stock: 8, reserved: 2, held: 2, ofBasket: 2 });
  });

  it('follows the edit once, however often it is asked, and takes back what a late driver reserved again', () => {
    const once = sold.after(reserve(inName('edit'), 2), follow('edit', { destroyed: 1 }));
    once.when(follow('edit', { destroyed: 1 })).thenNothing();
    once.when(reserve(inName('edit'), 2)).thenRefused('order-being-placed');
    once.when(releaseForGood(inName('edit'))).thenNothing();
  });

  it('is released if the edit is refused, and is not reserved again', () => {
    const refused = sold.after(reserve(inName('edit'), 2), releaseForGood(inName('edit')));
    expect(levelsOf(refused)).to.include({ reserved: 3, held: 3 });
    refused.when(reserve(inName('edit'), 2)).thenRefused('order-being-placed');
  });

  it('is held for the invoice again after everything was packed, and leaves with the next shipment', () => {
    const packed = sold.after(allocate(ada, 'one', 3));
    expect(levelsOf(packed)).to.deep.equal({ stock: 7, reserved: 0, held: 0, ofBasket: 0 });
    const more = packed.after(reserve(inName('edit'), 2), follow('edit'));
    expect(levelsOf(more)).to.deep.equal({ stock: 7, reserved: 2, held: 2, ofBasket: 2 });
    const gone = more.after(allocate(ada, 'two', 2));
    expect(levelsOf(gone)).to.deep.equal({ stock: 5, reserved: 0, held: 0, ofBasket: 0 });
    // The placement of the basket comes late: its goods are sold.
    const late = reserve({ ...ada, turn: 1 }, 3);
    more.when(late).thenNothing();
    gone.when(late).thenRefused('order-being-placed');
  });

  it('in a row that the edit adds belongs to the basket from then on, until it is released', () => {
    const added = stockRow(opened(10)).after(reserve(inName('edit'), 2), follow('edit'));
    expect(levelsOf(added)).to.deep.equal({ stock: 10, reserved: 2, held: 2, ofBasket: 2 });
    const released = added.after({ type: 'ReleaseStock', ...ada });
    expect(levelsOf(released)).to.include({ reserved: 0, held: 0 });
  });

  it('of an invoice that was replaced meanwhile stays with the later one: the edit releases its own', () => {
    const replaced = sold.after(
      reserve(inName('edit'), 2),
      reserve(later, 3),
      follow('edit', { released: 1 }),
    );
    expect(levelsOf(replaced)).to.deep.equal({ stock: 10, reserved: 3, held: 3, ofBasket: 3 });
  });

  it('never releases more than is held', () => {
    const released = sold.after(follow('edit', { released: 5, destroyed: 2 }));
    expect(levelsOf(released)).to.include({ stock: 8, reserved: 0, ofBasket: 0 });
  });

  it('runs low when destroyed units take it down', () => {
    sold
      .after(reserve(inName('more'), 5), follow('more'))
      .when(follow('edit', { destroyed: 7 }))
      .thenLike(['ReservationEdited'], ['StockAdjusted'], ['StockRanLow']);
  });

  it('is refused with both numbers when there is not enough', () => {
    sold
      .when(reserve(inName('edit'), 8))
      .thenRefused('out-of-stock', { requestedQuantity: 8, availableQuantity: 7 });
  });
});
