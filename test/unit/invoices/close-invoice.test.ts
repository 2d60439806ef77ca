import { expect } from 'chai';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { closedBalance } from '#values/invoice-balance.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { decidedAt, invoice, mugOrder } from '#test/support/builders/invoice.ts';
import { given } from '#test/support/given.ts';

const { InvoiceCancelled, InvoiceCleared, PaymentAttempted } = invoiceEvents.create;

const now = '2026-03-02T09:00:00.000Z';
const context = decidedAt(now);
const mugs = invoice('mugs', { content: { orders: [mugOrder('order'), mugOrder('other')] } });
const sold = [mugs.placed, mugs.captured(), mugs.moved('ReadyToFulfill'), mugs.confirmed()];
const cancel = { type: 'CancelInvoice', reason: 'Changed her mind', by: 'mary' } as const;
const remove = { type: 'DeleteInvoice', by: 'mary' } as const;

const attempted = PaymentAttempted({
  attemptId: idNamed('attempt'),
  provider: 'sandbox',
  method: 'card',
  token: 'tok',
  tokenHash: 'hash',
  amount: 2640,
  currency: 'GBP',
});

const after = (...history: InvoiceEvent[]) => given(invoiceDecider, history);
const cancelled = (...history: InvoiceEvent[]): InvoiceEvent[] => [
  ...history,
  ...after(...history)
    .when(cancel, context)
    .events(),
];

describe('cancelling an invoice', () => {
  it('closes it with its orders, and says what leaves the reports', () => {
    const [closed, ...moves] = after(...sold)
      .when(cancel, context)
      .events();
    expect(closed?.data).to.deep.include({
      reason: 'Changed her mind',
      cancelledBy: 'mary',
      orderIds: [idNamed('order'), idNamed('other')],
      balance: closedBalance(2640, 2640, 0),
    });
    expect(closed?.type === 'InvoiceCancelled' && closed.data.sale).to.deep.include({ items: 2, returns: 0 });
    expect(moves.map(({ data }) => data)).to.deep.equal(
      (['order', 'other'] as const).map((name) => ({
        ...mugs.invoiceName,
        orderId: idNamed(name),
        from: name === 'order' ? 'ReadyToFulfill' : 'Pending',
        to: 'Cancelled',
        reason: 'Invoice cancelled: Changed her mind',
        changedDay: context.today,
      })),
    );
  });

  for (const status of ['Shipped', 'PartiallyShipped', 'Completed'] as const) {
    it(`leaves an order alone that is ${status}`, () => {
      const [closed, ...moves] = after(...sold, mugs.moved(status))
        .when(cancel, context)
        .events();
      expect(closed?.type === 'InvoiceCancelled' && closed.data.orderIds).to.deep.equal([idNamed('other')]);
      expect(moves).to.have.length(1);
    });
  }

  it('takes nothing out of the reports of what was never sold', () => {
    const [closed] = after(mugs.placed).when(cancel, context).events();
    expect(closed?.data).to.not.have.property('sale');
  });

  it('happens once, and is over once everything is given back', () => {
    const done = cancelled(...sold);
    after(...done)
      .when(cancel, context)
      .thenNothing();
    const clear = { type: 'ClearInvoice' } as const;
    after(...done)
      .when(clear, context)
      .then([InvoiceCleared({ clearedAt: now })]);
    after(...done, InvoiceCleared({ clearedAt: now }))
      .when(clear, context)
      .thenNothing();
  });

  it('waits for the outcome of a payment', () => {
    after(mugs.placed, attempted).when(cancel, context).thenRefused('payment-unknown');
    after(mugs.placed, attempted).when(remove, context).thenRefused('payment-unknown');
  });

  it('waits for the sale of what has just been paid: the customer may have been told of it', () => {
    after(mugs.placed, mugs.captured()).when(cancel, context).thenRefused('payment-unknown');
    after(mugs.placed, mugs.captured()).when(remove, context).thenRefused('payment-unknown');
  });
});

describe('deleting an invoice', () => {
  it('names its payments and what goes back on the shelf, once', () => {
    const [deleted, ...others] = after(...sold)
      .when(remove, context)
      .events();
    expect(others).to.deep.equal([]);
    expect(deleted?.data).to.deep.include({
      deletedBy: 'mary',
      orderIds: [idNamed('order'), idNamed('other')],
      paymentIds: [idNamed('payment mugs 2640')],
      wasCancelled: false,
    });
    if (deleted?.type !== 'InvoiceDeleted') expect.fail('nothing was deleted');
    after(...sold, deleted)
      .when(remove, context)
      .thenNothing();
    after(...sold, deleted)
      .when(cancel, context)
      .thenRefused('invoice-deleted');
  });

  it('gives nothing back a second time of what was cancelled', () => {
    const [deleted] = after(...cancelled(...sold))
      .when(remove, context)
      .events();
    expect(deleted?.data).to.deep.include({ orderIds: [], wasCancelled: true });
  });

  it('does not wait for the outcome of a payment once the invoice has expired: nobody asks for it any more', () => {
    const expired = InvoiceCancelled({
      ...mugs.invoiceName,
      reason: 'expired',
      cancelledAt: now,
      balance: closedBalance(2640, 0, 0),
    });
    const [deleted] = after(mugs.placed, attempted, expired).when(remove, context).events();
    expect(deleted?.data).to.include({ wasCancelled: true });
  });
});
