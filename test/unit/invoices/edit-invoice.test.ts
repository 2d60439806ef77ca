import { expect } from 'chai';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import { isKnown } from '#command/contexts/invoices/invoice.state.ts';
import type { InvoiceEdit } from '#command/pricing/edits/invoice-edit.ts';
import { messagesOf } from '#topics/topics.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { addedProduct, editCommand, editFacts, foundProduct } from '#test/support/builders/edit.ts';
import { invoice, mugOrder, twoMugs } from '#test/support/builders/invoice.ts';
import { moveOrder, pack } from '#test/support/builders/shipment.ts';
import { given, inContext, inStream, recordedEvents } from '#test/support/given.ts';
import { deskContext } from '#test/support/sold-goods.ts';
import { topicContext } from '#test/support/topic-context.ts';

const mugs = invoice('mugs');
const line = { id: idNamed('line order'), shouldReturnToStock: true };
const fewer: Partial<InvoiceEdit> = { lineItems: [{ ...line, quantity: 1 }] };
const more: Partial<InvoiceEdit> = { lineItems: [{ ...line, quantity: 3 }] };
const fromWest = {
  products: [foundProduct('tea', 400, { warehouseId: idNamed('west'), optionKey: null })],
};
const tea: Partial<InvoiceEdit> = { productsToAdd: [addedProduct('tea', 1)] };
const command = (edit: Partial<InvoiceEdit>, options: Parameters<typeof editCommand>[2] = {}) =>
  editCommand(twoMugs(), edit, { facts: editFacts(fromWest), ...options });

const rules = inContext(invoiceDecider, deskContext);
const saleOf = ({ placed, captured, moved, confirmed }: typeof mugs) =>
  given(rules, [placed, captured(), moved('ReadyToFulfill'), confirmed()]);
const sold = saleOf(mugs);
/** The stock has followed all that was packed. */
const followed = (sale: typeof sold) => {
  const moveIds = sale.state(isKnown).stockMoves.map(({ moveId }) => moveId);
  return sale.after({ type: 'NoteFollowedStock', moveIds });
};

describe('an edit in the stream of its invoice (docs/rules/invoice-editing.md#one-edit)', () => {
  it('is made once, of the invoice as it was read, and is nothing where nothing is changed', () => {
    const [edited] = sold.when(command(fewer)).events();
    expect(edited?.data).to.deep.include({ version: 1, isOfSale: true, by: 'mary' });
    const after = sold.after(command(fewer));
    after.when(command(fewer)).thenNothing();
    after
      .when(command(fewer, { editId: idNamed('other') }))
      .thenRefused('invoice-edited-meanwhile', { version: 1 });
    sold.when(command({ lineItems: [{ ...line, quantity: 2 }] })).thenNothing();
  });

  it('waits for a sale that is being confirmed: what was paid in full is announced as it was paid', () => {
    const placed = given(rules, [mugs.placed]);
    placed.happened(mugs.captured()).when(command(more)).thenRefused('payment-unknown');
    placed.when(command(more)).thenLike(['InvoiceEdited', { version: 1 }]);
  });

  it('waits until the stock has followed what was packed, and goes below none of it', () => {
    const packed = sold.after(pack('parcel', 1));
    packed.when(command(fewer)).thenRefused('invoice-edited-meanwhile');
    followed(packed)
      .when(command(fewer))
      .thenLike(['InvoiceEdited', { version: 1 }]);
    const allPacked = followed(sold.after(pack('parcel', 2)));
    allPacked.when(command(fewer)).thenRefused('invoice-edited-meanwhile');
  });

  it('leaves alone what was cancelled, and adds nothing to what was completed, since it was read', () => {
    const west = { ...mugOrder('other'), warehouseId: idNamed('west') };
    const two = invoice('mugs', { content: { orders: [mugOrder('order'), west] } });
    const ofTwo = twoMugs({ orders: [mugOrder('order'), west] });
    const moved = (status: 'Cancelled' | 'Completed') => followed(saleOf(two).after(moveOrder(status)));
    const ask = (sale: typeof sold, wanted: Partial<InvoiceEdit>) => sale.when(editCommand(ofTwo, wanted));
    for (const wanted of [fewer, more])
      ask(moved('Cancelled'), wanted).thenRefused('invoice-edited-meanwhile');
    ask(moved('Completed'), more).thenRefused('invoice-edited-meanwhile');
    const elsewhere = { lineItems: [{ ...line, id: idNamed('line other'), quantity: 3 }] };
    for (const status of ['Cancelled', 'Completed'] as const)
      ask(moved(status), elsewhere).thenLike(['InvoiceEdited', { version: 1 }]);
  });

  it('charges the shipping of an order whose goods are exchanged, and none of one that has lost them', () => {
    const exchange = { removedLineItems: [line], ...tea };
    const here = { facts: editFacts({ products: [foundProduct('tea', 400)] }) };
    const sent = (options: Parameters<typeof editCommand>[2]) =>
      command(exchange, options).content.orders.map(({ shippingCost, lines }) => [
        shippingCost,
        ...lines.map(({ sku }) => sku),
      ]);
    expect(sent(here)).to.deep.equal([[400, 'tea']]);
    expect(sent({})).to.deep.equal([[0], [0, 'tea']]);
  });

  it('opens an order that waits for its money, and tells of it as of a new one', () => {
    const [edited] = sold.when(command(tea)).events();
    if (edited?.type !== 'InvoiceEdited') throw new Error('the invoice is edited');
    const [opened = ''] = edited.data.openedOrderIds ?? [];
    expect(edited.data.orderStatuses).to.deep.equal({ [opened]: 'Pending' });
    const [recorded] = recordedEvents(inStream(mugs.stream, edited));
    if (!recorded) throw new Error('it is recorded');
    const messages = messagesOf(recorded, topicContext);
    expect(messages.map(({ topic, entityId }) => [topic, entityId])).to.deep.equal([
      ['order.created', opened],
      ['order.updated', opened],
    ]);
    const content = messages.find(({ topic }) => topic === 'order.created');
    expect(content?.data).to.include({ status: 'Pending', total: 4.8, invoiceNumber: 'INV-0001' });
  });
});
