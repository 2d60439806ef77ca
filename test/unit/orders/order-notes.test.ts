import { expect } from 'chai';
import { orderNotesProjection, notesKey } from '#projection/contexts/orders/order-notes.projection.ts';
import { orderListProjection } from '#projection/contexts/orders/order-list.projection.ts';
import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { invoice } from '#test/support/builders/invoice.ts';
import { givenStream } from '#test/support/given.ts';

const { InvoiceDeleted, InvoiceNoted, PaymentAuthorized } = invoiceEvents.create;

/** docs/rules/orders.md#notes */
describe('the notes of an order', () => {
  const { id, stream, placed, captured, moved, confirmed, invoiceName } = invoice('noted');
  const note = (at: number) =>
    InvoiceNoted({
      noteId: idNamed(`note ${at}`),
      text: `note ${at}`,
      isVisibleToCustomer: false,
      author: 'Ada',
      notedAt: '2026-03-01T09:05:00.000Z',
    });
  const bought = [placed, captured(), moved('ReadyToFulfill'), confirmed()];
  const after = (...events: readonly InvoiceEvent[]) => givenStream(stream, ...events);
  const written = Array.from({ length: 150 }, (_, at) => note(at));

  it('stay in the order while they are few: a purchase writes no other document', () => {
    const { document: order } = after(...bought).project(orderListProjection);
    expect(order?.notes.map(({ text }) => text)).to.deep.equal(['Payment of £26.40 received (manual).']);
    expect(order?.laterNotes).to.deep.equal({});
    after(...bought)
      .project(orderNotesProjection, notesKey(id, 0))
      .thenNothing();
  });

  it('say until when money is held, as people write it', () => {
    const held = PaymentAuthorized({
      ...{ ...invoiceName, attemptId: null, paymentId: idNamed('held'), provider: 'stripe', method: 'card' },
      ...{ transactionId: 'pi_1', amount: 2640, currency: 'GBP', authorizedAt: '2026-03-01T12:00:00.000Z' },
      expiresAt: '2026-03-08T12:00:00.000Z',
    });
    const { document: order } = after(placed, held).project(orderListProjection);
    expect(order?.notes.map(({ text }) => text)).to.deep.equal([
      '£26.40 authorised (stripe), until 2026-03-08 12:00 UTC.',
    ]);
  });

  it('move to their own document from the order’s hundredth event on', () => {
    const { document: order } = after(...bought, ...written).project(orderListProjection);
    // The first hundred events: four of the purchase, one of them with a note, and 96 notes.
    expect([order?.notes.length, order?.laterNotes]).to.deep.equal([97, { 1: 54 }]);
    const apart = after(...bought, ...written).project(orderNotesProjection, notesKey(id, 1));
    expect(apart.document?.notes.map(({ text }) => text)).to.deep.equal(
      written.slice(96).map(({ data }) => data.text),
    );
  });

  it('are deleted with the order', () => {
    const deleted = InvoiceDeleted({
      ...invoiceName,
      deletedBy: 'Ada',
      deletedAt: '2026-03-01T09:05:00.000Z',
      balance: placed.data.balance,
      orderIds: [],
      paymentIds: [],
      completedDays: [],
      wasCancelled: false,
    });
    after(...bought, ...written, deleted)
      .project(orderNotesProjection, notesKey(id, 1))
      .thenNothing();
  });
});
