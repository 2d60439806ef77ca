import { expect } from 'chai';
import type { ShipmentCommand } from '#command/contexts/invoices/fulfilment/shipment.commands.ts';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import type { InvoiceCommand } from '#command/contexts/invoices/invoice.commands.ts';
import { isKnown, type InvoiceState } from '#command/contexts/invoices/invoice.state.ts';
import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { decidedAt, invoice, mugOrder } from '#test/support/builders/invoice.ts';
import { moveOrder, pack, removeShipment, setShipment } from '#test/support/builders/shipment.ts';
import { given, inContext, type Given } from '#test/support/given.ts';

const { InvoiceCancelled } = invoiceEvents.create;
const context = decidedAt('2026-03-02T09:00:00.000Z');
const rules = inContext(invoiceDecider, context);
const mugs = invoice('mugs');
const two = invoice('two', { content: { orders: [mugOrder('order'), mugOrder('other')] } });
type Invoice = Given<InvoiceState, InvoiceCommand, InvoiceEvent, void>;
const sold = (which = mugs): Invoice =>
  given(rules, [which.placed, which.captured(), which.moved('ReadyToFulfill'), which.confirmed()]);

/** Where the first order stands after these commands. */
const statusAfter = (...commands: readonly ShipmentCommand[]) =>
  sold()
    .after(...commands)
    .state(isKnown).orderStatuses[idNamed('order')];

const movesOf = (of: Invoice) =>
  of
    .state(isKnown)
    .stockMoves.map(({ kind, lines, isOwed }) => [
      kind,
      lines.reduce((sum, { quantity }) => sum + quantity, 0),
      isOwed,
    ]);

describe('a shipment', () => {
  it('takes its order along: packed, sent in part, sent, delivered', () => {
    const steps: ShipmentCommand[] = [pack('first', 1)];
    expect(statusAfter(...steps)).to.equal('Processing');
    steps.push(setShipment('first', 'Shipped'));
    expect(statusAfter(...steps)).to.equal('PartiallyShipped');
    steps.push(setShipment('first', 'Delivered'), pack('second', 1));
    expect(statusAfter(...steps)).to.equal('PartiallyShipped');
    steps.push(setShipment('second', 'Shipped'));
    expect(statusAfter(...steps)).to.equal('Shipped');
    steps.push(setShipment('second', 'Delivered'));
    expect(statusAfter(...steps)).to.equal('Completed');
  });

  it('says the business day of its moves, and of those of its order', () => {
    const [moved, order] = sold().after(pack('all', 2)).when(setShipment('all', 'Shipped')).events();
    expect(moved?.data).to.include({ from: 'Preparing', to: 'Shipped', day: context.today });
    expect(order?.data).to.include({ from: 'Processing', to: 'Shipped', changedDay: context.today });
  });

  it('is one, however often it is asked for under one id, also after it was deleted', () => {
    const packed = sold().after(pack('all', 2));
    packed.when(pack('all', 2)).thenNothing();
    packed.after(removeShipment('all')).when(pack('all', 2)).thenNothing();
  });

  it('is refused of what is not there to be shipped, naming every line', () => {
    const digital = mugOrder('order');
    const lines = [
      { lineId: idNamed('line order'), quantity: 3 },
      { lineId: idNamed('file'), quantity: 1 },
      { lineId: idNamed('nothing'), quantity: 1 },
      { lineId: idNamed('nothing'), quantity: 1 },
    ];
    const line = digital.lines[0];
    if (!line) throw new Error('the order has a line');
    const file = { ...line, id: idNamed('file'), isDigital: true };
    const withFile = invoice('mugs', {
      content: { orders: [{ ...digital, lines: [...digital.lines, file] }] },
    });
    const refusal = sold(withFile)
      .when({ ...pack('all', 1), lines } as ShipmentCommand)
      .thenRefused('invalid-request');
    expect(refusal.details['errors']).to.deep.equal([
      `lineItems.${idNamed('line order')}: must be at most 2, not 3`,
      `lineItems.${idNamed('file')}: must be a line that is shipped, not a digital one`,
      `lineItems.${idNamed('nothing')}: must be a line of the order`,
      `lineItems.${idNamed('nothing')}: must name each line once`,
    ]);
  });

  it('is cut to what is left where a provider has sent it already, and that is noted', () => {
    const command = { ...pack('second', 2), isCut: true } as ShipmentCommand;
    sold()
      .after(pack('first', 1))
      .when(command)
      .thenLike(['ShipmentCreated', { 'lines[0].quantity': 1 }], ['InvoiceNoted']);
    sold().after(pack('first', 2)).when(command).thenLike(['InvoiceNoted']);
    sold().after(pack('first', 2), command).when(command).thenNothing();
  });

  it('is only of a sale that is confirmed, and of none that is cancelled', () => {
    given(rules, [mugs.placed]).when(pack('all', 2)).thenRefused('sale-not-confirmed');
    sold().after(moveOrder('Cancelled')).when(pack('all', 2)).thenRefused('invoice-cancelled');
    sold()
      .when({ ...pack('all', 2), orderId: idNamed('nobody') } as ShipmentCommand)
      .thenRefused('entity-not-found');
  });

  it('undone takes its order back, whatever the transitions say', () => {
    expect(
      statusAfter(pack('all', 2), setShipment('all', 'Shipped'), setShipment('all', 'Cancelled')),
    ).to.equal('ReadyToFulfill');
    expect(statusAfter(pack('all', 2), removeShipment('all'))).to.equal('ReadyToFulfill');
    expect(statusAfter(pack('first', 1), pack('second', 1), removeShipment('first'))).to.equal('Processing');
    expect(statusAfter(pack('all', 2), moveOrder('OnHold'), removeShipment('all'))).to.equal('OnHold');
  });

  it('that is delivered is not deleted', () => {
    sold()
      .after(pack('all', 2), setShipment('all', 'Shipped'), setShipment('all', 'Delivered'))
      .when(removeShipment('all'))
      .thenRefused('status-not-possible');
  });

  it('with a delivery date for each completes its order', () => {
    const delivered = { type: 'ChangeShipment', actualDeliveryDate: context.now } as const;
    const sent = [pack('first', 1), pack('second', 1)].concat(
      setShipment('first', 'Shipped'),
      setShipment('second', 'Shipped'),
    );
    const first = { ...delivered, shipmentId: idNamed('first') };
    expect(statusAfter(...sent, first)).to.equal('Shipped');
    expect(statusAfter(...sent, first, { ...delivered, shipmentId: idNamed('second') })).to.equal(
      'Completed',
    );
    sold()
      .after(...sent, first)
      .when({ type: 'ChangeShipment', shipmentId: idNamed('first'), carrier: null })
      .thenNothing();
  });
});

describe('an order', () => {
  it('ships what is left before it is shipped or completed by hand', () => {
    const shipped = sold().after(pack('first', 1), moveOrder('Shipped')).state(isKnown);
    expect(shipped.shipments.map(({ status, lines }) => [status, lines[0]?.quantity])).to.deep.equal([
      ['Shipped', 1],
      ['Shipped', 1],
    ]);
    const completed = sold().after(moveOrder('Completed')).state(isKnown);
    expect(completed.shipments.map(({ status }) => status)).to.deep.equal(['Delivered']);
    expect(completed.orderStatuses[idNamed('order')]).to.equal('Completed');
    given(rules, [mugs.placed]).when(moveOrder('Completed')).thenRefused('sale-not-confirmed');
  });

  it('never ships twice under one id, however often what was left is packed and deleted', () => {
    const ids = new Set<string>();
    let order = sold();
    for (let time = 0; time < 52; time++) {
      order = order.after(moveOrder('Shipped'));
      const { shipmentId } = order.state(isKnown).shipments[0] ?? expect.fail('nothing was shipped');
      ids.add(shipmentId);
      order = order.after({ ...removeShipment('all'), shipmentId } as ShipmentCommand);
    }
    expect(ids.size).to.equal(52);
  });

  it('that is sent in part when its invoice is cancelled ships nothing more', () => {
    const closed = InvoiceCancelled({
      ...mugs.invoiceName,
      ...{ reason: 'by phone', cancelledAt: context.now, cancelledBy: 'mary', orderIds: [] },
      balance: mugs.placed.data.balance,
    });
    const sent = sold().after(pack('first', 1), setShipment('first', 'Shipped')).happened(closed);
    sent.when(moveOrder('Shipped')).thenRefused('invoice-cancelled');
    sent.when(moveOrder('OnHold')).thenLike(['OrderStatusChanged']);
  });

  it('cancelled by itself gives up what it has not sent, and the last one takes the invoice along', () => {
    const one = sold(two).after(pack('first', 1), moveOrder('Cancelled'));
    const { orderStatuses, status, shipments } = one.state(isKnown);
    expect([status, orderStatuses[idNamed('order')]]).to.deep.equal(['open', 'Cancelled']);
    expect(shipments.map((shipment) => shipment.status)).to.deep.equal(['Cancelled']);
    expect(movesOf(one)).to.deep.equal([
      ['allocate', 1, false],
      ['release', 1, false],
      ['return', 1, false],
    ]);
    const both = one.after(moveOrder('Cancelled', 'other'));
    expect(both.state(isKnown).status).to.equal('cancelled');
  });

  it('tells the day on which it had been completed when it is completed no more', () => {
    const { history } = sold().after(moveOrder('Completed'), moveOrder('Shipped'));
    expect(history.at(-1)?.data).to.include({
      from: 'Completed',
      to: 'Shipped',
      completedDay: context.today,
    });
  });
});

describe('the stock of a shipment', () => {
  it('has one move to follow for each that is packed or undone, and is owed while the order stands', () => {
    const undone = sold().after(pack('all', 2), removeShipment('all'));
    expect(movesOf(undone)).to.deep.equal([
      ['allocate', 2, false],
      ['return', 2, true],
    ]);
    const moveIds = undone.state(isKnown).stockMoves.map(({ moveId }) => moveId);
    const [first = ''] = moveIds;
    undone
      .when({ type: 'NoteFollowedStock', moveIds: [first] })
      .thenLike(['StockFollowed', { isLast: false }]);
    const followed = undone.after({ type: 'NoteFollowedStock', moveIds });
    expect(followed.state(isKnown).stockMoves).to.deep.equal([]);
    followed.when({ type: 'NoteFollowedStock', moveIds }).thenNothing();
  });

  it('has nothing to follow when a cancelled shipment is deleted', () => {
    const deleted = sold().after(pack('all', 2), setShipment('all', 'Cancelled'), removeShipment('all'));
    expect(movesOf(deleted)).to.have.length(2);
  });
});
