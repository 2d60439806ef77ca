import { stockDecider } from '#command/contexts/inventory/stock.decider.ts';
import type { StockCommand } from '#command/contexts/inventory/stock.commands.ts';
import type { StockState } from '#command/contexts/inventory/stock.state.ts';
import { stockId } from '#values/stock-id.ts';
import { followStock, openMoveOf } from '#command/contexts/orders/unpaid/follow-stock.process.ts';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import type { InvoiceState } from '#command/contexts/invoices/invoice.state.ts';
import type { ShipmentCommand } from '#command/contexts/invoices/fulfilment/shipment.commands.ts';
import { runSteps } from '#command/engine/run-process.ts';
import { inventoryEvents } from '#events/inventory.events.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { Decider } from '#kernel/decider.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { evolve } from '#kernel/evolution.ts';
import type { ProcessCommand } from '#kernel/process.ts';
import { Rejection } from '#kernel/rejection.ts';
import { idNamed } from './builders/basket.ts';
import { decidedAt, invoice, mugOrder, twoMugs } from './builders/invoice.ts';

export const deskContext = decidedAt('2026-03-02T09:00:00.000Z');
export const stockContext = { now: deskContext.now, lowStockThreshold: 3, passesOnDefault: () => null };
const west = { ...mugOrder('other'), warehouseId: idNamed('west') };
const amounts = { subTotal: 4000, discount: 400, shipping: 800, tax: 880, total: 5280 };
/** Two mugs from the east and two from the west, with 10 % off the order. */
export const sale = invoice('mugs', {
  content: {
    orders: [mugOrder('order'), west],
    discounts: twoMugs().discounts.map((row) => ({ ...row, amount: 400, sold: { percent: 10 } })),
    amounts,
    amountsInStoreCurrency: amounts,
    shippingTax: 160,
    itemCount: 4,
  },
});
const { StockReserved, StockRowOpened } = inventoryEvents.create;

/** What each row has, and what somebody else has reserved of it. */
export const STOCK = 10;
export const OTHERS = 3;

interface Decided<State, Event> {
  readonly state: State;
  readonly events: readonly Event[];
}

/** The state after a command. Errors: its refusal. */
export const decided = <State, Cmd extends { readonly type: string }, Event extends DomainEvent, Context>(
  decider: Decider<State, Cmd, Event, Context>,
  state: State,
  command: Cmd,
  given: Context,
): Decided<State, Event> => {
  const events = decider.decide(state, command, given);
  let after = state;
  for (const event of events) after = evolve(decider.on, after, event);
  return { state: after, events };
};

/** The state after a command; what is refused changes nothing. */
export const decidedUnlessRefused = <
  State,
  Cmd extends { readonly type: string },
  Event extends DomainEvent,
  Context,
>(
  decider: Decider<State, Cmd, Event, Context>,
  state: State,
  command: Cmd,
  given: Context,
): Decided<State, Event> => {
  try {
    return decided(decider, state, command, given);
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    return { state, events: [] };
  }
};

/** A sale of two orders from two warehouses, in each of which somebody else has reserved some, too. */
export class SoldGoods {
  invoice: InvoiceState;
  /** Everything that has happened to the invoice. */
  readonly events: InvoiceEvent[];
  readonly rows = new Map<string, StockState>();

  constructor() {
    this.events = [sale.placed, sale.captured(), sale.moved('ReadyToFulfill'), sale.confirmed()];
    let state: InvoiceState = invoiceDecider.initial();
    for (const event of this.events) state = evolve(invoiceDecider.on, state, event);
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

  protected happened({ state, events }: Decided<InvoiceState, InvoiceEvent>): void {
    this.invoice = state;
    this.events.push(...events);
  }

  ask(command: ShipmentCommand): void {
    this.happened(decidedUnlessRefused(invoiceDecider, this.invoice, command, deskContext));
  }

  cancel(): void {
    const command = { type: 'CancelInvoice', reason: 'Changed her mind', by: 'mary' } as const;
    this.happened(decidedUnlessRefused(invoiceDecider, this.invoice, command, deskContext));
  }

  readonly #perform = async (ask: ProcessCommand): Promise<unknown> => {
    if (!('definition' in ask)) throw new Error('no default has sold out here');
    if (ask.command.type === 'NoteFollowedStock') {
      this.ask(ask.command as ShipmentCommand);
      return undefined;
    }
    const row = this.rows.get(ask.id);
    if (!row) throw new Error('the row is open');
    const { state, events } = decidedUnlessRefused(
      stockDecider,
      row,
      ask.command as StockCommand,
      stockContext,
    );
    this.rows.set(ask.id, state);
    return { events: events.map((event) => ({ ...event, stream: `stock-${ask.id}` })) };
  };

  /** Lets the stock follow one move, or dies before that is on record. */
  async follow(isKilled: boolean): Promise<boolean> {
    const open = openMoveOf(sale.id, this.invoice);
    if (!open) return false;
    const survives = (ask: ProcessCommand): boolean =>
      !isKilled || ('definition' in ask && ask.command.type !== 'NoteFollowedStock');
    await runSteps(followStock, open, (ask) =>
      survives(ask) ? this.#perform(ask) : Promise.resolve(undefined),
    );
    return true;
  }

  /** What a closed invoice still holds is given back once everything has moved. */
  clear(): void {
    const holder = { basketId: idNamed('basket'), placementId: idNamed('placement mugs') };
    for (const [id, row] of this.rows)
      this.rows.set(
        id,
        decidedUnlessRefused(stockDecider, row, { type: 'ReleaseStock', ...holder }, stockContext).state,
      );
  }
}
