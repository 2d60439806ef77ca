import { expect } from 'chai';
import { foldOrder } from '#agent-orders/fold-order.ts';
import { agentOrderEvents } from '#events/agent-order.events.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import type { InvoiceContent } from '#events/invoice.fields.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { agentOrdersProjection } from '#projection/contexts/agent-protocol/orders/agent-orders.projection.ts';
import { touchedBy } from '#projection/engine/apply-batch.ts';
import { invoiceBalance } from '#values/invoice-balance.ts';
import { agentSessionsProjection } from '#projection/contexts/agent-protocol/sessions/agent-sessions.projection.ts';
import { agentOrder, agentSource, orderBody, parcel, sessionOf } from '#test/support/builders/agent-order.ts';
import { agentLine } from '#test/support/builders/agent-session.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { invoice, mugOrder, twoMugs } from '#test/support/builders/invoice.ts';
import { inStream, recordedEvents } from '#test/support/given.ts';

const { AgentOrderAmended } = agentOrderEvents.create;
const {
  DisputeOpened,
  DisputeResolved,
  InvoiceDeleted,
  InvoiceEdited,
  InvoiceForgotten,
  PaymentRefunded,
  RefundAttempted,
  RefundDeclined,
} = invoiceEvents.create;

const refund = {
  refundId: idNamed('refund'),
  paymentId: idNamed('payment'),
  provider: 'sandbox',
  amount: 500,
  currency: 'GBP',
  by: 'mary',
};
const attempted = RefundAttempted({
  ...refund,
  reason: 'chipped',
  askId: idNamed('ask'),
  attemptedAt: '2026-03-03T09:00:00.000Z',
});

const editOf = ({ invoiceName }: ReturnType<typeof agentOrder>, content: InvoiceContent) => {
  const { amounts } = content;
  return InvoiceEdited({
    ...invoiceName,
    editId: idNamed('edit'),
    placementId: idNamed('placement'),
    version: 1,
    content,
    balance: invoiceBalance(amounts.total, 2640, 0),
    totalBefore: 2640,
    difference: { amounts, cost: 0, items: -1, returns: 0, discounts: [] },
    orderStatuses: {},
    stock: [],
    reason: null,
    by: 'mary',
    editedAt: '2026-03-04T09:00:00.000Z',
  });
};

// docs/rules/agent-orders.md
describe('The order of an agent', () => {
  it('has the lines of its session, the figures of its invoice, and what is to be sent', () => {
    const body = agentOrder().bodyAfter();
    const image_url = 'https://shop.example/mug.png';
    const mug = { id: 'mug', title: 'Mug, blue', price: 1000, image_url };
    const line = {
      item: mug,
      quantity: { original: 1, total: 1, fulfilled: 0 },
      totals: [
        { type: 'subtotal', amount: 1000 },
        { type: 'total', amount: 1000 },
      ],
      status: 'processing',
    };
    expect(body.line_items).to.deep.equal([
      { id: idNamed('line first'), ...line },
      { id: idNamed('line second'), ...line },
    ]);
    expect(body.totals).to.deep.equal([
      { type: 'subtotal', amount: 2000 },
      { type: 'discount', amount: -200 },
      { type: 'fulfillment', amount: 400 },
      { type: 'tax', amount: 440 },
      { type: 'total', amount: 2640 },
    ]);
    expect(body.fulfillment).to.deep.equal({
      expectations: [
        {
          id: idNamed('order'),
          line_items: [
            { id: idNamed('line first'), quantity: 1 },
            { id: idNamed('line second'), quantity: 1 },
          ],
          method_type: 'shipping',
          destination: {
            first_name: 'Ada',
            last_name: 'Lovelace',
            street_address: '12 St James Square',
            address_locality: 'London',
            postal_code: 'SW1Y 4JH',
            address_country: 'GB',
          },
          description: 'Parcel',
          fulfillable_on: 'now',
        },
      ],
      events: [],
    });
    expect(body).to.deep.include({
      checkout_id: idNamed('session'),
      label: 'INV-0001',
      currency: 'GBP',
      attribution: { campaign: 'spring' },
      adjustments: [],
    });
  });

  it('counts what has left, parcel by parcel', () => {
    const order = agentOrder();
    const [one, two] = [parcel('one', 1), parcel('two', 1)];
    const [first, second] = order.bodyAfter(one.packed, one.sent, two.packed).line_items;
    expect(first).to.deep.include({ status: 'fulfilled', quantity: { original: 1, total: 1, fulfilled: 1 } });
    expect(second).to.deep.include({ status: 'processing' });
    const whole = agentOrder({}, [agentLine('mug', 2, 'both')]);
    expect(whole.bodyAfter(one.packed, one.sent).line_items[0]).to.deep.include({ status: 'partial' });
    const all = whole.bodyAfter(one.packed, one.sent, two.packed, two.sent);
    expect(all.line_items[0]).to.deep.include({ status: 'fulfilled' });
  });

  it('tells what becomes of each parcel, with the number that it has now', () => {
    const { packed, sent, renumbered, delivered } = parcel('one', 2);
    const { events } = agentOrder().bodyAfter(packed, sent, delivered, renumbered).fulfillment;
    expect(events.map(({ type }) => type)).to.deep.equal(['processing', 'shipped', 'delivered']);
    expect(new Set(events.map(({ id }) => id))).to.have.length(3);
    for (const event of events)
      expect(event).to.deep.include({
        tracking_number: 'T2',
        carrier: 'Post',
        line_items: [
          { id: idNamed('line first'), quantity: 1 },
          { id: idNamed('line second'), quantity: 1 },
        ],
      });
  });

  it('sends once more what was called off', () => {
    const [one, two] = [parcel('one', 1), parcel('two', 1)];
    const body = agentOrder().bodyAfter(one.packed, one.sent, one.calledOff, two.packed, two.sent);
    expect(body.fulfillment.events.map(({ type }) => type)).to.deep.equal([
      ...['processing', 'shipped', 'canceled', 'processing', 'shipped'],
    ]);
    expect(body.line_items.map(({ quantity: { fulfilled } }) => fulfilled)).to.deep.equal([1, 0]);
  });

  it('tells of money that goes back, from the asking to the outcome', () => {
    const order = agentOrder();
    const refunded = PaymentRefunded({
      ...order.invoiceName,
      ...refund,
      paymentType: 'PartialRefund',
      amountInStoreCurrency: 500,
      transactionId: 're_1',
      reason: 'chipped',
      givenBack: 500,
      givenBackInStoreCurrency: 500,
      balance: invoiceBalance(2640, 2640, 500),
      refundedAt: '2026-03-03T09:01:00.000Z',
      openRefunds: 0,
    });
    const told = { id: refund.refundId, type: 'refund' };
    expect(order.bodyAfter(attempted).adjustments).to.deep.equal([
      {
        ...told,
        occurred_at: '2026-03-03T09:00:00.000Z',
        status: 'pending',
        totals: [{ type: 'total', amount: -500 }],
      },
    ]);
    const done = { ...told, occurred_at: '2026-03-03T09:01:00.000Z', status: 'completed' };
    expect(order.bodyAfter(attempted, refunded).adjustments).to.deep.equal([
      { ...done, totals: [{ type: 'total', amount: -500 }] },
    ]);
    expect(order.olderBodyAfter(attempted, refunded).adjustments).to.deep.equal([{ ...done, amount: 500 }]);
  });

  it('tells of a refund that came to nothing only where the provider had taken it on', () => {
    const order = agentOrder();
    const declined = (changes: object) =>
      RefundDeclined({
        ...refund,
        ...{ code: 'declined', message: 'no', openRefunds: 0, declinedAt: '2026-03-03T10:00:00.000Z' },
        ...changes,
      });
    expect(order.bodyAfter(attempted, declined({})).adjustments).to.deep.equal([]);
    const [failed] = order.bodyAfter(
      attempted,
      declined({ wasPending: { invoiceNumber: 'INV-0001' } }),
    ).adjustments;
    expect(failed).to.deep.include({ status: 'failed' });
  });

  it('tells of a dispute, and who has won it', () => {
    const order = agentOrder();
    const dispute = { disputeId: 'dp_1', paymentId: idNamed('payment'), provider: 'sandbox', amount: 2640 };
    const opened = DisputeOpened({
      ...order.invoiceName,
      ...dispute,
      ...{ transactionId: 'tx', currency: 'GBP', reason: null, heldOrderIds: [] },
      openedAt: '2026-03-05T09:00:00.000Z',
    });
    const resolved = (outcome: 'won' | 'lost') =>
      DisputeResolved({ ...order.invoiceName, ...dispute, outcome, resolvedAt: '2026-03-06T09:00:00.000Z' });
    const statusAfter = (...events: readonly DomainEvent[]) =>
      order.bodyAfter(...events).adjustments.map(({ status }) => status);
    expect(statusAfter(opened)).to.deep.equal(['pending']);
    expect(statusAfter(opened, resolved('lost'))).to.deep.equal(['completed']);
    expect(statusAfter(opened, resolved('won'))).to.deep.equal(['failed']);
  });

  it('keeps the lines of what was cancelled, with nothing left of them', () => {
    const order = agentOrder();
    const cancelled = order.moved('Cancelled');
    const body = order.bodyAfter(cancelled);
    expect(body.line_items.map(({ status, quantity }) => [status, quantity.total])).to.deep.equal([
      ['removed', 0],
      ['removed', 0],
    ]);
    expect(body.fulfillment.expectations).to.deep.equal([]);
    expect(body.adjustments.map(({ type, line_items }) => ({ type, line_items }))).to.deep.equal([
      {
        type: 'cancellation',
        line_items: [
          { id: idNamed('line first'), quantity: -1 },
          { id: idNamed('line second'), quantity: -1 },
        ],
      },
    ]);
    const [older] = order.olderBodyAfter(cancelled).line_items;
    expect(older).to.deep.include({ status: 'fulfilled', quantity: { total: 0, fulfilled: 0 } });
  });

  it('keeps the lines that an edit took out, and tells what it came to', () => {
    const order = agentOrder();
    const [mug] = mugOrder('order').lines;
    if (!mug) throw new Error('an order of mugs has a line');
    const amounts = { subTotal: 1000, discount: 0, shipping: 400, tax: 280, total: 1680 };
    const one = { ...mug, quantity: 1, lineTotal: 1000, discount: 0, tax: 200 };
    const content = twoMugs({
      source: agentSource,
      orders: [{ ...mugOrder('order'), lines: [one] }],
      discounts: [],
      ...{ amounts, amountsInStoreCurrency: amounts, itemCount: 1 },
    });
    const edited = editOf(order, content);
    const body = order.bodyAfter(edited);
    expect(body.line_items.map(({ status, quantity }) => [status, quantity])).to.deep.equal([
      ['processing', { original: 1, total: 1, fulfilled: 0 }],
      ['removed', { original: 1, total: 0, fulfilled: 0 }],
    ]);
    expect(body.totals).to.deep.include({ type: 'total', amount: 1680 });
    const [adjustment] = body.adjustments;
    expect(adjustment).to.deep.include({
      ...{ type: 'edit', status: 'completed' },
      line_items: [{ id: idNamed('line second'), quantity: -1 }],
    });
    expect(adjustment?.['totals']).to.deep.equal([{ type: 'total', amount: -960 }]);
  });

  it('tells of an edit at one warehouse what it leaves to the lines of the session', () => {
    const one = { quantity: 1, lineTotal: 1000, discount: 0, tax: 200 };
    const oneFrom = (name: string) => ({
      ...mugOrder(name),
      lines: mugOrder(name).lines.map((line) => ({ ...line, ...one })),
    });
    const of = (subTotal: number, orders: InvoiceContent['orders']) => {
      const tax = subTotal / 5;
      const amounts = { subTotal, discount: 0, shipping: 0, tax, total: subTotal + tax };
      return { orders, discounts: [], amounts, amountsInStoreCurrency: amounts };
    };
    const [east, west] = [oneFrom('east'), oneFrom('west')];
    const order = agentOrder(of(2000, [east, west]));
    const content = twoMugs({ source: agentSource, ...of(1000, [{ ...east, lines: [] }, west]) });
    const body = order.bodyAfter(editOf(order, content));
    expect(body.line_items.map(({ quantity }) => quantity.total)).to.deep.equal([1, 0]);
    expect(body.adjustments.map(({ line_items }) => line_items)).to.deep.equal([
      [{ id: idNamed('line second'), quantity: -1 }],
    ]);
  });

  it('shows what its session did not ask for as itself', () => {
    const body = orderBody(agentOrder().after(), [agentLine('jar', 1)]);
    expect(body.line_items.map(({ id, item }) => [id, item.id])).to.deep.equal([
      [idNamed('line order'), idNamed('mug')],
    ]);
  });

  it('shows what discounts on products take off at the lines, and free shipping in its price', () => {
    const amounts = { subTotal: 2000, discount: 501, shipping: 400, tax: 0, total: 1899 };
    const taken = { id: idNamed('taken'), discountId: idNamed('rule'), name: 'Off', code: null } as const;
    const body = agentOrder({
      ...{ amounts, amountsInStoreCurrency: amounts },
      discounts: [
        { ...taken, category: 'AmountOffProducts', lineId: idNamed('basket line'), amount: 101 },
        { ...taken, category: 'FreeShipping', lineId: null, amount: 400 },
      ],
    }).bodyAfter();
    expect(body.totals).to.deep.equal([
      { type: 'subtotal', amount: 2000 },
      { type: 'items_discount', amount: -101 },
      { type: 'fulfillment', amount: 0 },
      { type: 'tax', amount: 0 },
      { type: 'total', amount: 1899 },
    ]);
    const [first, second] = body.line_items.map(({ totals }) => totals[1]);
    expect([first, second]).to.deep.equal([
      { type: 'items_discount', amount: -51 },
      { type: 'items_discount', amount: -50 },
    ]);
    expect(body.fulfillment.expectations[0]).to.deep.include({ description: 'Free Parcel' });
  });

  it('delivers files with the sale', () => {
    const [mug] = mugOrder('order').lines;
    if (!mug) throw new Error('an order of mugs has a line');
    const digital = { ...mugOrder('order'), shippingOptionKey: null, lines: [{ ...mug, isDigital: true }] };
    const body = agentOrder({ orders: [digital] }).bodyAfter();
    expect(body.line_items.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled']);
    expect(body.fulfillment.expectations).to.deep.include.members([
      {
        id: `${idNamed('order')}-digital`,
        line_items: [
          { id: idNamed('line first'), quantity: 1 },
          { id: idNamed('line second'), quantity: 1 },
        ],
        method_type: 'digital',
        destination: {},
        description: 'Digital delivery',
        fulfillable_on: 'now',
      },
    ]);
  });

  it('says nothing of its buyer once they are forgotten', () => {
    const order = agentOrder();
    const forgotten = InvoiceForgotten({
      ...order.invoiceName,
      paymentIds: [],
      at: '2026-04-01T09:00:00.000Z',
    });
    expect(order.after(forgotten).shippingAddress).to.equal(null);
    expect(JSON.stringify(order.bodyAfter(forgotten))).not.to.match(/Lovelace|St James/);
  });

  it('has forgotten what a test had said of it, in whatever order its streams are read', () => {
    const order = agentOrder();
    const said = AgentOrderAmended({
      events: [],
      adjustments: [
        {
          ...{ id: 'a', type: 'credit', status: 'completed', lines: [] },
          occurredAt: '2026-03-04T09:00:00.000Z',
          further: {},
        },
      ],
      amendedAt: '2026-03-04T09:00:00.000Z',
    });
    const forgotten = InvoiceForgotten({
      ...order.invoiceName,
      paymentIds: [],
      at: '2026-04-01T09:00:00.000Z',
    });
    const recorded = recordedEvents([...order.sold(), said, forgotten]);
    const streams = [...recorded.filter(({ type }) => type !== said.type)];
    streams.push(...recorded.filter(({ type }) => type === said.type));
    expect(foldOrder(streams, idNamed('by an agent'))?.amended.adjustments).to.deep.equal({});
  });

  it('keeps its session in the view for as long as there is an order', () => {
    const { lapsing } = agentSessionsProjection;
    const session = sessionOf(agentOrder().lines);
    expect(lapsing?.changedAt({ ...session, status: 'completed' })).to.equal(null);
    expect(lapsing?.changedAt({ ...session, status: 'expired' })).to.equal(session.updatedAt);
  });

  it('is none once it is deleted, and where no agent sold it', () => {
    const order = agentOrder();
    const deleted = InvoiceDeleted({
      ...order.invoiceName,
      ...{ deletedBy: 'mary', deletedAt: '2026-04-01T09:00:00.000Z', balance: invoiceBalance(2640, 0, 0) },
      ...{ orderIds: [], paymentIds: [], wasCancelled: false, completedDays: [] },
    });
    order.seenAfter(deleted).thenNothing();
    const web = invoice('in the storefront').placed.data.content.source;
    agentOrder({ source: web }).seenAfter().thenNothing();
  });

  it('is not looked for when a shopper buys in the storefront', () => {
    const { stream, placed, confirmed } = invoice('in the storefront');
    const purchase = recordedEvents(inStream(stream, placed, confirmed()));
    expect(touchedBy(agentOrdersProjection, purchase)).to.deep.equal([[], []]);
  });
});
