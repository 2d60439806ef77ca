import { expect } from 'chai';
import fc from 'fast-check';
import { stockDecider } from '#command/contexts/inventory/stock.decider.ts';
import type { StockCommand } from '#command/contexts/inventory/stock.commands.ts';
import type { StockState } from '#command/contexts/inventory/stock.state.ts';
import { stockId } from '#command/contexts/inventory/stock.stream.ts';
import { followStock, openMoveOf } from '#command/contexts/orders/follow-stock.process.ts';
import { invoiceDecider } from '#command/contexts/orders/invoice.decider.ts';
import { isKnown, type InvoiceState } from '#command/contexts/orders/invoice.state.ts';
import type { ShipmentCommand } from '#command/contexts/orders/shipment.commands.ts';
import { shipmentDecider } from '#command/contexts/orders/shipment.decider.ts';
import { leftToShip } from '#command/contexts/orders/shipments.state.ts';
import { runSteps } from '#command/engine/run-process.ts';
import { inventoryEvents } from '#events/inventory.events.ts';
import type { Decider } from '#kernel/decider.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { evolve } from '#kernel/evolution.ts';
import type { Ask } from '#kernel/process.ts';
import { Rejection } from '#kernel/rejection.ts';
import { defaultStoreSettings } from '#values/store-settings.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { invoice, mugOrder } from '#test/support/builders/invoice.ts';
import { moveOrder, pack, removeShipment, setShipment } from '#test/support/builders/shipment.ts';

const context = { now: '2026-03-02T09:00:00.000Z', today: '2026-03-02', unpaid: defaultStoreSettings };
const stockContext = { lowStockThreshold: 3, passesOnDefault: () => null };
const west = { ...mugOrder('other'), warehouseId: idNamed('west') };
const sale = invoice('mugs', { content: { orders: [mugOrder('order'), west] } });
const { StockReserved, StockRowOpened } = inventoryEvents.create;

const OTHERS = 3;
const STOCK = 10;

/** The state after a command; what is refused changes nothing. */
const told = <State, Cmd extends { readonly type: string }, Event extends DomainEvent, Context>(
  decider: Decider<State, Cmd, Event, Context>,
  state: State,
  command: Cmd,
  given: Context,
): { readonly state: State; readonly events: readonly Event[] } => {
  try {
    const events = decider.decide(state, command, given);
    let after = state;
    for (const event of events) after = evolve(decider.on, after, event);
    return { state: after, events };
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    return { state, events: [] };
  }
};

/** A sale of two orders from two warehouses, in each of which somebody else has reserved some, too. */
class Warehouses {
  invoice: InvoiceState;
  readonly rows = new Map<string, StockState>();

  constructor() {
    let state: InvoiceState = invoiceDecider.initial();
    for (const event of [sale.placed, sale.captured(), sale.moved('ReadyToFulfill'), sale.confirmed()])
      state = evolve(invoiceDecider.on, state, event);
    this.invoice = state;
    for (const name of ['east', 'west']) {
      const place = { productId: idNamed('mug'), warehouseId: idNamed(name) };
      const row = { ...place, sku: 'mug' };
      const own = {
        basketId: idNamed('basket'),
        placementId: idNamed('placement mugs'),
        quantity: 2,
        change: 2,
      };
      const other = {
        basketId: idNamed('bob'),
        placementId: idNamed('bob'),
        quantity: OTHERS,
        change: OTHERS,
      };
      let stock: StockState = stockDecider.initial();
      for (const event of [
        StockRowOpened({ ...row, stock: STOCK, trackStock: true, reorderPoint: null, reorderQuantity: null }),
        StockReserved({ ...row, ...own, stock: STOCK, reserved: 2 }),
        StockReserved({ ...row, ...other, stock: STOCK, reserved: 2 + OTHERS }),
      ])
        stock = evolve(stockDecider.on, stock, event);
      this.rows.set(stockId(place.productId, place.warehouseId), stock);
    }
  }

  ask(command: ShipmentCommand): void {
    this.invoice = told(shipmentDecider, this.invoice, command, context).state;
  }

  cancel(): void {
    const command = { type: 'CancelInvoice', reason: 'Changed her mind', by: 'mary' } as const;
    this.invoice = told(invoiceDecider, this.invoice, command, context).state;
  }

  readonly #perform = async (ask: Ask): Promise<unknown> => {
    if (!('kind' in ask)) throw new Error('no default has sold out here');
    if (ask.command.type === 'NoteFollowedStock') {
      this.ask(ask.command as ShipmentCommand);
      return undefined;
    }
    const row = this.rows.get(ask.id);
    if (!row) throw new Error('the row is open');
    const { state, events } = told(stockDecider, row, ask.command as StockCommand, stockContext);
    this.rows.set(ask.id, state);
    return { events: events.map((event) => ({ ...event, stream: `stock-${ask.id}` })) };
  };

  /** Lets the stock follow one move, or dies before that is on record. */
  async follow(isKilled: boolean): Promise<boolean> {
    const open = openMoveOf(sale.id, this.invoice);
    if (!open) return false;
    const survives = (ask: Ask): boolean =>
      !isKilled || ('kind' in ask && ask.command.type !== 'NoteFollowedStock');
    await runSteps(followStock, open, (ask) =>
      survives(ask) ? this.#perform(ask) : Promise.resolve(undefined),
    );
    return true;
  }

  /** What a closed invoice still holds is given back once everything has moved. */
  clear(): void {
    const holder = { basketId: idNamed('basket'), placementId: idNamed('placement mugs') };
    for (const [id, row] of this.rows)
      this.rows.set(id, told(stockDecider, row, { type: 'ReleaseStock', ...holder }, stockContext).state);
  }
}

const order = fc.constantFrom('order', 'other');
const name = fc.integer({ min: 0, max: 4 }).map((number) => `shipment ${number}`);
const step = fc.oneof(
  fc.record({ do: fc.constant('pack' as const), name, order, units: fc.integer({ min: 1, max: 2 }) }),
  fc.record({
    do: fc.constant('set' as const),
    name,
    to: fc.constantFrom('Shipped', 'Delivered', 'Cancelled'),
  }),
  fc.record({ do: fc.constant('delete' as const), name }),
  fc.record({
    do: fc.constant('move' as const),
    order,
    to: fc.constantFrom('Shipped', 'Completed', 'Cancelled', 'OnHold'),
  }),
  fc.record({ do: fc.constant('follow' as const), isKilled: fc.boolean() }),
  fc.record({ do: fc.constant('cancel' as const) }),
);

describe('shipments', () => {
  it('leave stock and reservations as their streams say, whatever is packed, undone, cancelled and killed', () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const house = new Warehouses();
        for (const one of steps) {
          if (one.do === 'pack') house.ask(pack(one.name, one.units, one.order));
          else if (one.do === 'set') house.ask(setShipment(one.name, one.to as 'Shipped'));
          else if (one.do === 'delete') house.ask(removeShipment(one.name));
          else if (one.do === 'move') house.ask(moveOrder(one.to as 'Shipped', one.order));
          else if (one.do === 'cancel') house.cancel();
          else await house.follow(one.isKilled);
          for (const row of house.rows.values()) {
            if (row.status !== 'open') throw new Error('the row is open');
            expect(row.reserved).to.be.within(OTHERS, row.stock);
          }
        }
        while (await house.follow(false));
        const { invoice: state } = house;
        if (!isKnown(state)) throw new Error('the invoice is there');
        if (state.status !== 'open') house.clear();
        for (const { orderId, warehouseId } of state.content.orders) {
          const row = house.rows.get(stockId(idNamed('mug'), warehouseId ?? ''));
          if (row?.status !== 'open') throw new Error('the row is open');
          const sent = state.shipments
            .filter((shipment) => shipment.orderId === orderId && shipment.status !== 'Cancelled')
            .flatMap(({ lines }) => lines)
            .reduce((sum, { quantity }) => sum + quantity, 0);
          const isOver = state.status !== 'open' || state.orderStatuses[orderId] === 'Cancelled';
          const owed = isOver ? 0 : (leftToShip(state, orderId)[0]?.quantity ?? 0);
          expect([row.stock, row.reserved]).to.deep.equal([STOCK - sent, OTHERS + owed]);
        }
      }),
      { numRuns: 400 },
    ));
});
