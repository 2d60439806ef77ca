import { expect } from 'chai';
import type { StockCommand } from '#command/contexts/inventory/stock.commands.ts';
import { stockDecider } from '#command/contexts/inventory/stock.decider.ts';
import { inventoryEvents, type InventoryEvent } from '#events/inventory.events.ts';
import { given, inContext } from '#test/support/given.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { stockContext } from '#test/support/sold-goods.ts';

const { StockReserved, StockRowOpened } = inventoryEvents.create;

const row = { productId: idNamed('mug'), warehouseId: idNamed('east'), sku: 'MUG' };
const ada = { basketId: idNamed('ada'), placementId: idNamed('first') };
const later = { ...ada, placementId: idNamed('second') };
const inName = (edit: string) => ({ basketId: idNamed(edit), placementId: idNamed(edit) });
const rules = inContext(stockDecider, () => stockContext);
const opened = StockRowOpened({
  ...row,
  stock: 10,
  trackStock: true,
  reorderPoint: null,
  reorderQuantity: null,
});

const reserve = (holder: typeof ada, quantity: number, turn?: number): StockCommand => ({
  type: 'ReserveStock',
  ...holder,
  quantity,
  ...(turn === undefined ? {} : { turn }),
});
const release = (holder: typeof ada): StockCommand => ({ type: 'ReleaseStock', ...holder, isFinal: true });
const follow = (
  edit: string,
  { released = 0, destroyed = 0 }: { readonly released?: number; readonly destroyed?: number } = {},
): StockCommand => ({ type: 'EditReservation', ...ada, editId: idNamed(edit), released, destroyed });
const allocate = (shipment: string, quantity: number): StockCommand => ({
  type: 'AllocateStock',
  ...ada,
  shipmentId: idNamed(shipment),
  quantity,
});

/** Three mugs are ada's. */
const sold = [
  opened,
  StockReserved({ ...row, ...ada, turn: 1, quantity: 3, change: 3, stock: 10, reserved: 3 }),
];
const after = (...commands: readonly StockCommand[]): InventoryEvent[] => {
  const events: InventoryEvent[] = [...sold];
  for (const command of commands) events.push(...given(rules, events).when(command).events());
  return events;
};
const stateOf = (events: readonly InventoryEvent[]) => {
  const state = given(rules, events).state();
  if (state.status !== 'open') throw new Error('the row is open');
  return state;
};
const levelsOf = (events: readonly InventoryEvent[]) => {
  const { stock, reserved, holds } = stateOf(events);
  const held = Object.values(holds).reduce((sum, { quantity }) => sum + quantity, 0);
  return { stock, reserved, held, ofBasket: holds[ada.basketId]?.quantity ?? 0 };
};

describe('stock of an invoice that is edited (docs/rules/invoice-editing.md#stock)', () => {
  it('is reserved in the name of the edit first, and becomes the basket’s with it', () => {
    const taken = after(reserve(inName('edit'), 2));
    expect(levelsOf(taken)).to.deep.equal({ stock: 10, reserved: 5, held: 5, ofBasket: 3 });
    const done = after(reserve(inName('edit'), 2), follow('edit'));
    expect(levelsOf(done)).to.deep.equal({ stock: 10, reserved: 5, held: 5, ofBasket: 5 });
  });

  it('goes back on the shelf, or leaves it, and may come and go in one edit', () => {
    expect(levelsOf(after(follow('edit', { released: 2 })))).to.include({
      stock: 10,
      reserved: 1,
      ofBasket: 1,
    });
    expect(levelsOf(after(follow('edit', { destroyed: 2 })))).to.include({
      stock: 8,
      reserved: 1,
      ofBasket: 1,
    });
    const both = after(reserve(inName('edit'), 1), follow('edit', { destroyed: 2 }));
    expect(levelsOf(both)).to.deep.equal({ stock: 8, reserved: 2, held: 2, ofBasket: 2 });
  });

  it('follows once, however often that is asked for, and takes back what a late driver has reserved again', () => {
    const once = [reserve(inName('edit'), 2), follow('edit', { destroyed: 1 })] as const;
    given(rules, after(...once))
      .when(follow('edit', { destroyed: 1 }))
      .thenNothing();
    given(rules, after(...once))
      .when(reserve(inName('edit'), 2))
      .thenRefused('order-being-placed');
    given(rules, after(...once))
      .when(release(inName('edit')))
      .thenNothing();
  });

  it('is given back where the edit comes to nothing, and is not taken again', () => {
    const refused = after(reserve(inName('edit'), 2), release(inName('edit')));
    expect(levelsOf(refused)).to.include({ reserved: 3, held: 3 });
    given(rules, refused)
      .when(reserve(inName('edit'), 2))
      .thenRefused('order-being-placed');
  });

  it('is held for the invoice again where everything has been packed, and leaves with the next shipment', () => {
    const packed = after(allocate('one', 3));
    expect(levelsOf(packed)).to.deep.equal({ stock: 7, reserved: 0, held: 0, ofBasket: 0 });
    const more = after(allocate('one', 3), reserve(inName('edit'), 2), follow('edit'));
    expect(levelsOf(more)).to.deep.equal({ stock: 7, reserved: 2, held: 2, ofBasket: 2 });
    const gone = after(allocate('one', 3), reserve(inName('edit'), 2), follow('edit'), allocate('two', 2));
    expect(levelsOf(gone)).to.deep.equal({ stock: 5, reserved: 0, held: 0, ofBasket: 0 });
    // The placement of the basket comes late: it is sold.
    given(rules, more)
      .when(reserve(ada, 3, 1))
      .thenNothing();
    given(rules, gone)
      .when(reserve(ada, 3, 1))
      .thenRefused('order-being-placed');
  });

  it('of a row of its own is the basket’s from the edit on, until it is given back in its name', () => {
    const only = [opened];
    const taken = given(rules, only)
      .when(reserve(inName('edit'), 2))
      .events();
    const followed = given(rules, [...only, ...taken])
      .when(follow('edit'))
      .events();
    const all = [...only, ...taken, ...followed];
    expect(levelsOf(all)).to.deep.equal({ stock: 10, reserved: 2, held: 2, ofBasket: 2 });
    const back = given(rules, all)
      .when({ type: 'ReleaseStock', ...ada })
      .events();
    expect(levelsOf([...all, ...back])).to.include({ reserved: 0, held: 0 });
  });

  it('of an invoice that was replaced meanwhile stays the later one’s: the edit gives back its own', () => {
    const replaced = after(reserve(inName('edit'), 2), reserve(later, 3, 2), follow('edit', { released: 1 }));
    expect(levelsOf(replaced)).to.deep.equal({ stock: 10, reserved: 3, held: 3, ofBasket: 3 });
  });

  it('gives back no more than is held', () => {
    expect(levelsOf(after(follow('edit', { released: 5, destroyed: 2 })))).to.include({
      ...{ stock: 8, reserved: 0, ofBasket: 0 },
    });
  });

  it('is told to be low where what does not come back takes it down', () => {
    const events = after(reserve(inName('more'), 5), follow('more'), follow('edit', { destroyed: 7 }));
    expect(events.slice(-3).map(({ type }) => type)).to.deep.equal([
      'ReservationEdited',
      'StockAdjusted',
      'StockRanLow',
    ]);
  });

  it('is told with both numbers where it is not there', () => {
    given(rules, sold)
      .when(reserve(inName('edit'), 8))
      .thenRefused('out-of-stock', { requestedQuantity: 8, availableQuantity: 7 });
  });
});
