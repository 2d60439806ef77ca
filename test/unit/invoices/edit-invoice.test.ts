import { expect } from 'chai';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import { isKnown } from '#command/contexts/invoices/invoice.state.ts';
import type { InvoiceEdit } from '#command/pricing/edits/invoice-edit.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import { messagesOf } from '#topics/topics.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { addedProduct, editCommand, editFacts, foundProduct } from '#test/support/builders/edit.ts';
import { invoice, mugOrder, twoMugs } from '#test/support/builders/invoice.ts';
import { moveOrder, pack } from '#test/support/builders/shipment.ts';
import { given, inStream, recordedEvents } from '#test/support/given.ts';
import { deskContext } from '#test/support/sold-goods.ts';
import { topicContext } from '#test/support/topic-context.ts';

const mugs = invoice('mugs');
const sold = [mugs.placed, mugs.captured(), mugs.moved('ReadyToFulfill'), mugs.confirmed()];
const line = { id: idNamed('line order'), shouldReturnToStock: true };
const fewer: Partial<InvoiceEdit> = { lineItems: [{ ...line, quantity: 1 }] };
const more: Partial<InvoiceEdit> = { lineItems: [{ ...line, quantity: 3 }] };
const fromWest = {
  products: [foundProduct('tea', 400, { warehouseId: idNamed('west'), optionKey: null })],
};
const tea: Partial<InvoiceEdit> = { productsToAdd: [addedProduct('tea', 1)] };
const command = (edit: Partial<InvoiceEdit>, options: Parameters<typeof editCommand>[2] = {}) =>
  editCommand(twoMugs(), edit, { facts: editFacts(fromWest), ...options });

const edit = (history: readonly InvoiceEvent[], ...asked: Parameters<typeof command>) =>
  given(invoiceDecider, [...history]).when(command(...asked), deskContext);
const shipped = (history: readonly InvoiceEvent[], ...asked: Parameters<typeof pack>) => [
  ...history,
  ...given(invoiceDecider, [...history])
    .when(pack(...asked), deskContext)
    .events(),
];
const followed = (history: readonly InvoiceEvent[]) => {
  const state = given(invoiceDecider, [...history]).state();
  const moveIds = isKnown(state) ? state.stockMoves.map(({ moveId }) => moveId) : [];
  const noted = given(invoiceDecider, [...history])
    .when({ type: 'NoteFollowedStock', moveIds }, deskContext)
    .events();
  return [...history, ...noted];
};

describe('an edit in the stream of its invoice (docs/rules/invoice-editing.md#one-edit)', () => {
  it('is made once, of the invoice as it was read, and is nothing where nothing is changed', () => {
    const [edited] = edit(sold, fewer).events();
    expect(edited?.data).to.deep.include({ version: 1, isOfSale: true, by: 'mary' });
    const after = [...sold, ...edit(sold, fewer).events()];
    edit(after, fewer).thenNothing();
    edit(after, fewer, { editId: idNamed('other') }).thenRefused('invoice-edited-meanwhile', { version: 1 });
    edit(sold, { lineItems: [{ ...line, quantity: 2 }] }).thenNothing();
  });

  it('waits for a sale that is being confirmed: what was paid in full is announced as it was paid', () => {
    edit([mugs.placed, mugs.captured()], more).thenRefused('payment-unknown');
    edit([mugs.placed], more).thenLike(['InvoiceEdited', { version: 1 }]);
  });

  it('waits until the stock has followed what was packed, and goes below none of it', () => {
    const packed = shipped(sold, 'parcel', 1);
    edit(packed, fewer).thenRefused('invoice-edited-meanwhile');
    edit(followed(packed), fewer).thenLike(['InvoiceEdited', { version: 1 }]);
    edit(followed(shipped(sold, 'parcel', 2)), fewer).thenRefused('invoice-edited-meanwhile');
  });

  it('leaves alone what was cancelled, and adds nothing to what was completed, since it was read', () => {
    const west = { ...mugOrder('other'), warehouseId: idNamed('west') };
    const two = invoice('mugs', { content: { orders: [mugOrder('order'), west] } });
    const ofTwo = twoMugs({ orders: [mugOrder('order'), west] });
    const placed = [two.placed, two.captured(), two.moved('ReadyToFulfill'), two.confirmed()];
    const moved = (status: 'Cancelled' | 'Completed') =>
      followed([...placed, ...given(invoiceDecider, placed).when(moveOrder(status), deskContext).events()]);
    const ask = (history: readonly InvoiceEvent[], wanted: Partial<InvoiceEdit>) =>
      given(invoiceDecider, [...history]).when(editCommand(ofTwo, wanted), deskContext);
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
    const events = edit(sold, tea).events();
    const [edited] = events;
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
