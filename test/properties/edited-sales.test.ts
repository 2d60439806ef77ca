import { expect } from 'chai';
import fc from 'fast-check';
import { stockDecider } from '#command/contexts/inventory/stock.decider.ts';
import type { StockCommand } from '#command/contexts/inventory/stock.commands.ts';
import { stockId } from '#values/stock-id.ts';
import {
  cannotEditReason,
  closedOrderIds,
  completedOrderIds,
  shippedUnits,
} from '#command/contexts/invoices/order-desk/edit-invoice.state.ts';
import {
  editedSale,
  editInvoiceProcess,
  type OpenInvoiceEdit,
} from '#command/contexts/orders/editing/edit-invoice.process.ts';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import type { EditInvoice } from '#command/contexts/invoices/invoice.commands.ts';
import { isKnown, type KnownInvoice } from '#command/contexts/invoices/invoice.state.ts';
import { leftToShip } from '#command/contexts/invoices/fulfilment/shipments.state.ts';
import type { RefundCommand } from '#command/contexts/invoices/refunds/refund.commands.ts';
import { runSteps } from '#command/engine/run-process.ts';
import { editedPieces } from '#command/pricing/edits/edited-pieces.ts';
import type { InvoiceEdit } from '#command/pricing/edits/invoice-edit.ts';
import type { ProcessCommand } from '#kernel/process.ts';
import { Rejection } from '#kernel/rejection.ts';
import { accountSalesProjection } from '#projection/contexts/customers/account-sales.projection.ts';
import { orderListProjection } from '#projection/contexts/orders/order-list.projection.ts';
import { dayFulfilmentProjection, isFulfilled } from '#projection/contexts/reporting/day-fulfilment.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { addedProduct, editCommand, editFacts, foundProduct } from '#test/support/builders/edit.ts';
import { givenEvents, inStream } from '#test/support/given.ts';
import { dayIn, journalOf } from '#test/support/builders/period.ts';
import { moveOrder, pack, removeShipment, setShipment } from '#test/support/builders/shipment.ts';
import {
  decided,
  deskContext,
  OTHERS,
  sale,
  SoldGoods,
  STOCK,
  stockContext,
  decidedUnlessRefused,
} from '#test/support/sold-goods.ts';

const rowOf = (warehouse: string): string => stockId(idNamed('mug'), idNamed(warehouse));
const holder = { basketId: idNamed('basket'), placementId: idNamed('placement mugs') };

/** The process that drives an edit has been killed. */
class Killed extends Error {}

/** A sale that is edited, too: each edit may be made of what has changed since, and be killed anywhere. */
class EditedGoods extends SoldGoods {
  /** Edits that have begun, and not ended. */
  readonly open: OpenInvoiceEdit[] = [];
  /** Units that have left the stock by edits, by row. */
  readonly destroyed = new Map<string, number>();
  isCleared = false;
  #edits = 0;
  #refunds = 0;

  get known(): KnownInvoice {
    if (!isKnown(this.invoice)) throw new Error('the invoice is there');
    return this.invoice;
  }

  #available = (productId: string, warehouseId: string): number => {
    const row = this.rows.get(stockId(productId, warehouseId));
    return row?.status === 'open' ? row.stock - row.reserved : 0;
  };

  /** Staff have sent an edit of what is there; nothing of it has happened yet. */
  begin(edit: Partial<InvoiceEdit>, warehouse: string): void {
    const invoice = this.known;
    if (cannotEditReason(invoice) !== null) return;
    const editId = idNamed(`edit ${this.#edits++}`);
    try {
      const command = editCommand(invoice.content, edit, {
        editId,
        version: invoice.edits + 1,
        shipped: shippedUnits(invoice),
        closedOrderIds: closedOrderIds(invoice),
        completedOrderIds: completedOrderIds(invoice),
        facts: editFacts({
          products: [foundProduct('mug', 1200, { warehouseId: idNamed(warehouse) })],
          available: this.#available,
          shippingTax: { mode: 'FixedRate', rate: 20 },
        }),
      });
      const { stock } = command;
      const { customerId } = invoice.content;
      const begun = { invoiceId: sale.id, customerId, ...holder, stock: [...stock], claims: [], givenUp: [] };
      this.open.push({ ...begun, editId, command, edited: null, begunAt: deskContext.now });
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
    }
  }

  readonly #does = (ask: ProcessCommand): unknown => {
    if (!('definition' in ask)) return this.known.status !== 'open';
    if (ask.command.type === 'EditInvoice') {
      const edited = decided(invoiceDecider, this.invoice, ask.command as EditInvoice, deskContext);
      const { state, events } = edited;
      this.happened(edited);
      for (const { type, data } of events)
        if (type === 'InvoiceEdited')
          for (const { warehouseId, destroyed } of data.stock) {
            const key = stockId(idNamed('mug'), warehouseId);
            this.destroyed.set(key, (this.destroyed.get(key) ?? 0) + destroyed);
          }
      return { state, events };
    }
    const row = this.rows.get(ask.id);
    // The customer's own stream, and that of the edit.
    if (!row) return undefined;
    const { state } = decided(stockDecider, row, ask.command as StockCommand, stockContext);
    this.rows.set(ask.id, state);
    return undefined;
  };

  /** Drives the edit that has waited longest, or as many steps of it as it lives. */
  async drive(steps: number): Promise<void> {
    const edit = this.open.shift();
    if (!edit) return;
    let left = steps;
    try {
      await runSteps(editInvoiceProcess, edit, (ask) => {
        if (left-- <= 0) return Promise.reject(new Killed());
        return Promise.resolve().then(() => this.#does(ask));
      });
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      // Whoever takes it up again knows what it has begun, and looks at the invoice.
      this.open.push({ ...edit, command: null, edited: null });
    }
  }

  /** What edits have still to do to the stock comes before whatever else follows the invoice. */
  async #endEdits(): Promise<void> {
    const waiting = this.open.splice(0);
    const isMade = ({ editId }: OpenInvoiceEdit): boolean => this.known.editIds.includes(editId);
    this.open.push(...waiting.filter(isMade), ...waiting.filter((edit) => !isMade(edit)));
    for (let made = waiting.filter(isMade).length; made > 0; made--) await this.resume();
  }

  override async follow(isKilled: boolean): Promise<boolean> {
    if (this.known.stockMoves.length > 0) await this.#endEdits();
    return super.follow(isKilled);
  }

  async resume(steps = Infinity): Promise<void> {
    const [first] = this.open;
    if (first?.command === null) this.open[0] = { ...first, edited: editedSale(this.invoice, first.editId) };
    await this.drive(steps);
  }

  #pay(command: RefundCommand): void {
    this.happened(decidedUnlessRefused(invoiceDecider, this.invoice, command, deskContext));
  }

  refund(amount: number): void {
    const name = `refund ${this.#refunds++}`;
    const refundId = idNamed(name);
    const paymentId = this.known.payments[0]?.paymentId ?? '';
    const can = { refunds: true, partialRefunds: true };
    const ask = { reason: 'Damaged', by: 'mary', how: 'provider', askId: idNamed('ask') } as const;
    this.#pay({ type: 'StartRefund', refundId, paymentId, amount, can, ...ask });
    this.#pay({ type: 'CompleteRefund', refundId, transactionId: name });
  }

  failRefund(number: number): void {
    const [payment] = this.known.payments;
    const { provider = '', transactionId = '' } = payment ?? {};
    const refundId = `refund ${number}`;
    this.#pay({
      type: 'FailProviderRefund',
      provider,
      chargeTransactionId: transactionId,
      refundId,
      message: 'No.',
    });
  }

  async clearAway(): Promise<void> {
    if (this.isCleared || this.known.status === 'open') return;
    await this.#endEdits();
    if (this.known.stockMoves.length > 0) return;
    this.isCleared = true;
    this.clear();
  }
}

const order = fc.constantFrom('order', 'other');
const warehouse = fc.constantFrom('east', 'west');
const name = fc.integer({ min: 0, max: 3 }).map((number) => `shipment ${number}`);
const lineAt = (goods: EditedGoods, place: number): string => {
  const lines = goods.known.content.orders.flatMap(({ lines: all }) => all);
  return lines[place % Math.max(1, lines.length)]?.id ?? '';
};

type Step = (goods: EditedGoods) => void | Promise<unknown>;
const changeLine = fc
  .record({
    place: fc.nat(5),
    quantity: fc.integer({ min: 0, max: 4 }),
    shouldReturnToStock: fc.boolean(),
    warehouse,
  })
  .map(({ place, quantity, shouldReturnToStock, warehouse: at }): Step => (goods) => {
    const line = { id: lineAt(goods, place), shouldReturnToStock };
    goods.begin(quantity === 0 ? { removedLineItems: [line] } : { lineItems: [{ ...line, quantity }] }, at);
  });
const addLine = fc.record({ units: fc.integer({ min: 1, max: 4 }), warehouse }).map(
  ({ units, warehouse: at }): Step =>
    (goods) =>
      goods.begin({ productsToAdd: [addedProduct('mug', units)] }, at),
);
const lives = fc.oneof({ weight: 2, arbitrary: fc.constant(Infinity) }, { weight: 3, arbitrary: fc.nat(6) });
const step: fc.Arbitrary<Step> = fc.oneof(
  changeLine,
  addLine,
  {
    weight: 4,
    arbitrary: lives.map(
      (steps): Step =>
        (goods) =>
          goods.resume(steps),
    ),
  },
  fc.record({ name, order, units: fc.integer({ min: 1, max: 2 }) }).map(
    (one): Step =>
      (goods) =>
        goods.ask(pack(one.name, one.units, one.order)),
  ),
  fc
    .record({ name, to: fc.constantFrom('Shipped' as const, 'Delivered' as const, 'Cancelled' as const) })
    .map(
      (one): Step =>
        (goods) =>
          goods.ask(setShipment(one.name, one.to)),
    ),
  name.map(
    (one): Step =>
      (goods) =>
        goods.ask(removeShipment(one)),
  ),
  fc.record({ order, to: fc.constantFrom('Shipped' as const, 'Cancelled' as const, 'OnHold' as const) }).map(
    (one): Step =>
      (goods) =>
        goods.ask(moveOrder(one.to, one.order)),
  ),
  {
    weight: 2,
    arbitrary: fc.boolean().map(
      (isKilled): Step =>
        (goods) =>
          goods.follow(isKilled),
    ),
  },
  fc.integer({ min: 1, max: 6000 }).map(
    (amount): Step =>
      (goods) =>
        goods.refund(amount),
  ),
  fc.nat(3).map(
    (number): Step =>
      (goods) =>
        goods.failRefund(number),
  ),
  fc.constant((goods: EditedGoods) => goods.cancel()),
  fc.constant((goods: EditedGoods) => goods.clearAway()),
);

const checkRows = ({ rows }: EditedGoods): void => {
  for (const row of rows.values()) {
    if (row.status !== 'open') throw new Error('the row is open');
    expect(row.reserved).to.be.within(OTHERS, row.stock);
    const held = Object.values(row.holds).reduce((sum, { quantity }) => sum + quantity, 0);
    expect(held).to.equal(row.reserved);
  }
};

const checkMoney = ({ known: { content, balance, payments, refunds, returns } }: EditedGoods): void => {
  const pieces = editedPieces(content.orders);
  const all = (of: (piece: (typeof pieces)[number]) => number): number =>
    pieces.reduce((sum, piece) => sum + of(piece), 0);
  const { subTotal, discount, shipping, tax, total } = content.amounts;
  expect([subTotal, discount, tax]).to.deep.equal([
    all((piece) => piece.total),
    all((piece) => piece.discount),
    all((piece) => piece.tax) + content.shippingTax,
  ]);
  expect(shipping).to.equal(content.orders.reduce((sum, { shippingCost }) => sum + shippingCost, 0));
  expect(total).to.equal(subTotal - discount + shipping + tax);
  const captured = payments.reduce((sum, { amount }) => sum + amount, 0);
  const done = refunds.filter(({ status }) => status === 'done');
  expect(balance.amountRefunded).to.equal(done.reduce((sum, { amount }) => sum + amount, 0));
  expect(balance.amountRefunded).to.be.within(0, captured);
  expect(balance.givenBack).to.be.within(0, balance.amountRefunded);
  expect(returns).to.be.at.least(0);
};

const checkEnd = ({ known, rows, destroyed }: EditedGoods): void => {
  for (const place of ['east', 'west']) {
    const orders = known.content.orders.filter((one) => one.warehouseId === idNamed(place));
    const ids = new Set(orders.map(({ orderId }) => orderId));
    const sent = known.shipments
      .filter((shipment) => ids.has(shipment.orderId) && shipment.status !== 'Cancelled')
      .flatMap(({ lines }) => lines)
      .reduce((sum, { quantity }) => sum + quantity, 0);
    const owed = orders
      .filter(({ orderId }) => known.status === 'open' && known.orderStatuses[orderId] !== 'Cancelled')
      .flatMap(({ orderId }) => leftToShip(known, orderId))
      .reduce((sum, { quantity }) => sum + quantity, 0);
    const row = rows.get(rowOf(place));
    if (row?.status !== 'open') throw new Error('the row is open');
    const left = STOCK - sent - (destroyed.get(rowOf(place)) ?? 0);
    expect([place, row.stock, row.reserved]).to.deep.equal([place, left, OTHERS + owed]);
  }
};

/** What staff see of it: its report, its row in the list, its account. */
const checkViews = ({ known, events }: EditedGoods): void => {
  const { content, returns, balance, status } = known;
  const recorded = givenEvents(...inStream(sale.stream, ...events));
  const { amountsInStoreCurrency: amounts } = content;
  const isOpen = status === 'open';
  const journal = journalOf(...inStream(sale.stream, ...events));
  expect(dayIn(content.businessDay, journal)).to.deep.include({
    grossSales: isOpen ? amounts.subTotal : 0,
    discounts: isOpen ? amounts.discount : 0,
    returns: isOpen ? returns : 0,
    shipping: isOpen ? amounts.shipping : 0,
    taxes: isOpen ? amounts.tax : 0,
    total: isOpen ? amounts.total : 0,
    invoices: isOpen ? 1 : 0,
    items: isOpen ? content.itemCount : 0,
  });
  recorded.project(orderListProjection, sale.id).then({
    balance,
    outstandingInStoreCurrency: isOpen ? balance.balanceDue : 0,
  });
  const listed = recorded.project(orderListProjection, sale.id).documents.get(sale.id);
  const orders = recorded.project(dayFulfilmentProjection, sale.id).documents.get(sale.id);
  const isListed = listed?.cancellationStatus === 'active' && listed.fulfillmentStatus === 'Fulfilled';
  expect(orders !== undefined && isFulfilled(orders)).to.equal(isListed);
  recorded.project(accountSalesProjection, sale.id).then({
    balance: balance.balanceDue - balance.creditDue,
    givenBack: balance.givenBack,
  });
};

describe('a sale that is edited, packed, refunded and cancelled, by processes that are killed', () => {
  it('keeps stock, reservations and money as its streams say, and gives back no more than came in', () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const goods = new EditedGoods();
        for (const one of steps) {
          await one(goods);
          checkRows(goods);
          checkMoney(goods);
        }
        while (goods.open.length > 0) await goods.resume();
        while (await goods.follow(false));
        await goods.clearAway();
        checkRows(goods);
        checkEnd(goods);
        checkViews(goods);
      }),
      { numRuns: 400 },
    ));
});
