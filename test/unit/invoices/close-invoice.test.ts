import { expect } from 'chai';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { closedBalance } from '#values/invoice-balance.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { decidedAt, invoice, mugOrder } from '#test/support/builders/invoice.ts';
import { given, inContext } from '#test/support/given.ts';

const { InvoiceCancelled, InvoiceCleared, PaymentAttempted } = invoiceEvents.create;

const now = '2026-03-02T09:00:00.000Z';
const context = decidedAt(now);
const rules = inContext(invoiceDecider, context);
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

const after = (...history: InvoiceEvent[]) => given(rules, history);
const bought = after(...sold);

describe('cancelling an invoice', () => {
  it('closes it with its orders, and says what leaves the reports', () => {
    const [closed, ...moves] = bought.when(cancel).events();
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
        .when(cancel)
        .events();
      expect(closed?.type === 'InvoiceCancelled' && closed.data.orderIds).to.deep.equal([idNamed('other')]);
      expect(moves).to.have.length(1);
    });
  }

  it('takes nothing out of the reports of what was never sold', () => {
    const [closed] = after(mugs.placed).when(cancel).events();
    expect(closed?.data).to.not.have.property('sale');
  });

  it('happens once, and is over once everything is given back', () => {
    const cancelled = bought.after(cancel);
    cancelled.when(cancel).thenNothing();
    const clear = { type: 'ClearInvoice' } as const;
    cancelled.when(clear).then([InvoiceCleared({ clearedAt: now })]);
    cancelled.after(clear).when(clear).thenNothing();
  });

  it('waits for the outcome of a payment', () => {
    after(mugs.placed, attempted).when(cancel).thenRefused('payment-unknown');
    after(mugs.placed, attempted).when(remove).thenRefused('payment-unknown');
  });

  it('waits for the sale of what has just been paid: the customer may have been told of it', () => {
    after(mugs.placed, mugs.captured()).when(cancel).thenRefused('payment-unknown');
    after(mugs.placed, mugs.captured()).when(remove).thenRefused('payment-unknown');
  });
});

describe('deleting an invoice', () => {
  it('names its payments and what goes back on the shelf, once', () => {
    const [deleted, ...others] = bought.when(remove).events();
    expect(others).to.deep.equal([]);
    expect(deleted?.data).to.deep.include({
      deletedBy: 'mary',
      orderIds: [idNamed('order'), idNamed('other')],
      paymentIds: [idNamed('payment mugs 2640')],
      wasCancelled: false,
    });
    expect(deleted?.type).to.equal('InvoiceDeleted');
    bought.after(remove).when(remove).thenNothing();
    bought.after(remove).when(cancel).thenRefused('invoice-deleted');
  });

  it('gives nothing back a second time of what was cancelled', () => {
    const [deleted] = bought.after(cancel).when(remove).events();
    expect(deleted?.data).to.deep.include({ orderIds: [], wasCancelled: true });
  });

  it('does not wait for the outcome of a payment once the invoice has expired: nobody asks for it any more', () => {
    const expired = InvoiceCancelled({
      ...mugs.invoiceName,
      reason: 'expired',
      cancelledAt: now,
      balance: closedBalance(2640, 0, 0),
    });
    const [deleted] = after(mugs.placed, attempted, expired).when(remove).events();
    expect(deleted?.data).to.include({ wasCancelled: true });
  });
});
