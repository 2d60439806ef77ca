import { expect } from 'chai';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import { rankings } from '#contracts/top.contract.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import type { DomainEvent } from '#kernel/event.ts';
import {
  membersOf,
  soldByMemberProjection,
} from '#projection/contexts/reporting/sold-by-member.projection.ts';
import { noSums } from '#projection/contexts/reporting/sold-changes.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { addedProduct, editCommand, editFacts, foundProduct } from '#test/support/builders/edit.ts';
import { decidedAt, invoice, mugOrder, twoMugs } from '#test/support/builders/invoice.ts';
import { soldContent, soldOf } from '#test/support/builders/sold.ts';
import { given, givenEvents, inContext, type GivenEvent } from '#test/support/given.ts';

const { InvoiceCancelled, InvoiceEdited, PaymentRefunded } = invoiceEvents.create;

const [mugLine] = mugOrder('order').lines;
const inKitchen = {
  ...mugOrder('order'),
  lines: mugLine ? [{ ...mugLine, collectionIds: [idNamed('kitchen')] }] : [],
};
const mugs = invoice('mugs', { content: { orders: [inKitchen] } });
const rules = inContext(invoiceDecider, decidedAt('2026-03-20T09:00:00.000Z'));
const sale = given(rules, [mugs.placed, mugs.captured(), mugs.confirmed()]);
type Sale = typeof sale;

/** Recorded on these days: the last one is that of all further events. */
const recorded = (history: readonly DomainEvent[], ...days: readonly string[]): readonly GivenEvent[] =>
  history.map((event, place) => ({
    ...event,
    stream: mugs.stream,
    recordedAt: `${days[Math.min(place, days.length - 1)]}T09:05:00.000Z`,
  }));
const onItsDay = ['2026-03-01', '2026-03-01', '2026-03-01', '2026-03-20'];
const eventsOf = ({ history }: Sale): readonly GivenEvent[] => recorded(history, ...onItsDay);

const whole = { sales: 2640, grossSales: 2000, discounts: 200, returns: 0, orders: 1, items: 2 };
/** The line: 20.00 less 2.00, and 3.60 of tax. Shipping is no product's. */
const ofProduct = { ...whole, sales: 2160 };

/** By hand: no provider is asked. */
const refund = (amount: number) =>
  ({
    type: 'StartRefund',
    refundId: idNamed('refund'),
    paymentId: idNamed('payment mugs 2640'),
    amount,
    reason: 'A chip',
    by: 'mary',
    how: 'hand',
    can: { refunds: true, partialRefunds: true },
    askId: idNamed('ask'),
  }) as const;

const nothingLeft = (events: readonly GivenEvent[]): void => {
  for (const dimension of rankings)
    expect(Object.values(soldOf(events, dimension)), dimension).to.satisfy((all: readonly unknown[]) =>
      all.every((sums) => JSON.stringify(sums) === JSON.stringify(noSums)),
    );
};

describe('what was sold by product, customer and the like', () => {
  it('counts a sale under everything that it names', () => {
    const events = eventsOf(sale);
    expect(soldOf(events, 'variant')).to.deep.equal({ [idNamed('mug')]: ofProduct });
    expect(soldOf(events, 'product')).to.deep.equal({ [idNamed('root mug')]: ofProduct });
    expect(soldOf(events, 'collection')).to.deep.equal({ [idNamed('kitchen')]: ofProduct });
    expect(soldOf(events, 'country')).to.deep.equal({ GB: whole });
    expect(soldOf(events, 'customer')).to.deep.equal({ [idNamed('ada')]: whole });
    expect(soldOf(events, 'discount')).to.deep.equal({ [idNamed('TEN')]: whole });
    expect(soldOf(events, 'source')).to.deep.equal({ web: whole });
  });

  it('is one order of a product, and of a collection, however many lines and variants there are', () => {
    const line = { quantity: 1, unitPrice: 1000, discount: 0, tax: 0, collections: ['kitchen'] };
    const content = soldContent(
      [
        { ...line, product: 'mug blue' },
        { ...line, product: 'mug blue', quantity: 2 },
        { ...line, product: 'mug red' },
        { ...line, product: 'tea' },
      ],
      0,
    );
    const events = [invoice('many', { content }).confirmed()];
    const ordersOf = (dimension: Parameters<typeof soldOf>[1]) =>
      Object.values(soldOf(events, dimension)).map(({ orders, items }) => [orders, items]);
    expect(ordersOf('variant')).to.deep.equal([
      [1, 3],
      [1, 1],
      [1, 1],
    ]);
    expect(ordersOf('product')).to.deep.equal([
      [1, 4],
      [1, 1],
    ]);
    expect(ordersOf('collection')).to.deep.equal([[1, 5]]);
  });

  it('shares out what is given back by what the sale came to, and shipping bears its part', () => {
    const events = eventsOf(sale.after(refund(640)));
    // 6.40 by 21.60 and 4.80: 5.236 and 1.164.
    expect(soldOf(events, 'variant')).to.deep.equal({ [idNamed('mug')]: { ...ofProduct, returns: 524 } });
    expect(soldOf(events, 'country')).to.deep.equal({ GB: { ...whole, returns: 640 } });
  });

  it('is in store currency, of which lines have their part', () => {
    const content = soldContent(
      [
        { product: 'mug', quantity: 1, unitPrice: 1000, discount: 100, tax: 180 },
        { product: 'tea', quantity: 1, unitPrice: 500, discount: 50, tax: 90 },
      ],
      200,
      { currency: 'EUR', rate: '0.5', storeCurrency: 'GBP' },
    );
    const half = { subTotal: 750, discount: 75, shipping: 100, tax: 135, total: 910 };
    const [order = mugOrder('order')] = content.orders;
    const lines = order.lines.map((line) => ({ ...line, lineTotalInStoreCurrency: line.lineTotal / 2 }));
    const abroad = { ...content, amountsInStoreCurrency: half, orders: [{ ...order, lines }] };
    expect(soldOf([invoice('abroad', { content: abroad }).confirmed()], 'variant')).to.deep.equal({
      [idNamed('mug')]: { sales: 540, grossSales: 500, discounts: 50, returns: 0, orders: 1, items: 1 },
      [idNamed('tea')]: { sales: 270, grossSales: 250, discounts: 25, returns: 0, orders: 1, items: 1 },
    });
  });

  it('leaves nothing of a sale that was given back in part, edited, and then cancelled or deleted', () => {
    const products = { products: [foundProduct('tea', 400)] };
    const content = twoMugs({ orders: [inKitchen] });
    const more = editCommand(
      content,
      {
        lineItems: [{ id: idNamed('line order'), shouldReturnToStock: true, quantity: 1 }],
        productsToAdd: [addedProduct('tea', 1)],
      },
      { facts: editFacts(products) },
    );
    const changed = sale.after(refund(640), more);
    expect(soldOf(eventsOf(changed), 'variant')[idNamed('tea')]).to.include({ orders: 1, items: 1 });
    expect(soldOf(eventsOf(changed), 'variant')[idNamed('mug')]).to.include({ orders: 1, items: 1 });
    const cancel = { type: 'CancelInvoice', reason: 'A mistake', by: 'mary' } as const;
    const remove = { type: 'DeleteInvoice', by: 'mary' } as const;
    nothingLeft(eventsOf(changed.after(cancel)));
    nothingLeft(eventsOf(changed.after(remove)));
    nothingLeft(eventsOf(changed.after(cancel, remove)));
  });

  it('keeps what was known on the day of the sale beside what became of it', () => {
    const cancelled = eventsOf(sale.after({ type: 'CancelInvoice', reason: 'A mistake', by: 'mary' }));
    expect(soldOf(cancelled, 'country', '2026-03-19')).to.deep.equal({ GB: whole });
    nothingLeft(cancelled);
    const { documents } = givenEvents(...cancelled).project(soldByMemberProjection, '');
    const ofCountry = [...documents.values()].filter(({ _id }) => _id.startsWith('country '));
    expect(ofCountry.map(({ businessDay, recordedDay }) => [businessDay, recordedDay])).to.deep.equal([
      ['2026-03-01', '2026-03-01'],
      ['2026-03-01', '2026-03-20'],
    ]);
  });

  it('takes the country that the sale was confirmed with, whatever is corrected later', () => {
    const address = mugs.placed.data.billingAddress;
    const moved = sale.happened(
      invoiceEvents.create.BillingAddressChanged({
        ...mugs.invoiceName,
        address: address && { ...address, countryCode: 'FR' },
        ...{ by: 'mary', changedAt: '2026-03-02T09:00:00.000Z' },
      }),
    );
    nothingLeft(eventsOf(moved.after({ type: 'CancelInvoice', reason: 'A mistake', by: 'mary' })));
  });

  it('spreads products of a day over sixteen documents at most, by the last digit of their ids', () => {
    const line = { quantity: 1, unitPrice: 100, discount: 0, tax: 0 };
    const content = soldContent(
      Array.from({ length: 200 }, (_, place) => ({ ...line, product: `${place}` })),
      0,
    );
    const { documents } = givenEvents(invoice('all', { content }).confirmed()).project(
      soldByMemberProjection,
      '',
    );
    const ofVariants = [...documents].filter(([key]) => key.startsWith('variant '));
    expect(ofVariants).to.have.length(16);
    for (const [key, document] of ofVariants)
      for (const [member] of membersOf(document)) expect(member.slice(-1)).to.equal(key.slice(-1));
    expect(ofVariants.flatMap(([, document]) => membersOf(document))).to.have.length(200);
  });
});

describe('what was sold, as far as older releases say', () => {
  const confirmed = mugs.confirmed();
  const { countryCode: _, ...before } = confirmed.data;
  const sold = { ...confirmed, data: before };
  const amounts = confirmed.data.content.amountsInStoreCurrency;

  it('counts a sale without country and collections under the rest', () => {
    expect(soldOf([sold], 'country')).to.deep.equal({});
    expect(soldOf([sold], 'variant')).to.deep.equal({ [idNamed('mug')]: ofProduct });
  });

  it('takes back of what is cancelled what the event names, and leaves the rest', () => {
    const closed = {
      ...{ amounts, cost: 600, items: 2, returns: 0 },
      uses: { customerId: idNamed('ada'), discounts: [{ discountId: idNamed('TEN'), amount: 200 }] },
    };
    const { content, balance } = confirmed.data;
    const cancelled = InvoiceCancelled({
      ...{ ...mugs.invoiceName, reason: 'A mistake', cancelledAt: content.createdAt, balance, sale: closed },
    });
    for (const dimension of ['source', 'customer', 'discount'] as const)
      expect(soldOf([sold, cancelled], dimension), dimension).to.deep.equal({});
    expect(soldOf([sold, cancelled], 'variant')).to.deep.equal({ [idNamed('mug')]: ofProduct });
  });

  it('passes over edits and refunds that do not say what they change', () => {
    const refunded = sale.after(refund(640)).history.find(({ type }) => type === 'PaymentRefunded');
    const edited = sale
      .after(
        editCommand(twoMugs({ orders: [inKitchen] }), {
          lineItems: [{ id: idNamed('line order'), shouldReturnToStock: true, quantity: 1 }],
        }),
      )
      .history.find(({ type }) => type === 'InvoiceEdited');
    if (refunded?.type !== 'PaymentRefunded' || edited?.type !== 'InvoiceEdited')
      return expect.fail('nothing was given back, or edited');
    const { saleBefore: beforeRefund, ...ofRefund } = refunded.data;
    const { saleBefore: beforeEdit, ...ofEdit } = edited.data;
    expect([beforeRefund, beforeEdit].map((one) => one?.returns)).to.deep.equal([0, 0]);
    const events = [sold, PaymentRefunded(ofRefund), InvoiceEdited(ofEdit)];
    expect(soldOf(events, 'source')).to.deep.equal({ web: whole });
  });
});
