import { expect } from 'chai';
import { keyed, manage } from '#test/support/requests.ts';
import { managing } from '#test/support/managing.ts';
import { body, noNewEvents } from '#test/support/scene.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop } from '#test/support/shop.ts';

const nobody = '00000000-0000-4000-8000-000000000000';
const path = '/orders/batch-mark-paid';

interface Result {
  readonly invoiceId: string;
  readonly success: boolean;
  readonly paymentId: string | null;
  readonly amount: number | null;
  readonly message: string;
}

describe('POST /orders/batch-mark-paid (docs/rules/payments.md#in-a-batch)', () => {
  let shop: TestShop;
  let mug: string;
  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 100 });
  });
  after(() => shop.close());

  const { when } = managing(() => shop);
  const order = async (quantity = 1, token?: string) => {
    const shopper = shop.shopper();
    await shopper.prepare(mug, quantity);
    const { invoiceId } = (await shopper.pay()).body;
    if (token) await shopper.payWith(invoiceId, token);
    return invoiceId as string;
  };

  it('pays each invoice once, of all that is due, in the order of the request', async () => {
    const [one, two] = [await order(), await order(2)];
    await when(manage.post(`/invoices/${two}/payments/manual`, { amount: 9, paymentMethod: 'Cash' })).then(
      200,
    );
    const batch = {
      invoiceIds: [two, one, two.toUpperCase()],
      paymentMethod: ' Bank ',
      reference: 'May 4711',
      dateReceived: '2026-01-02',
    };
    const answer = await when(manage.post(path, batch)).then(200, {
      success: true,
      successCount: 2,
      messages: [],
    });
    const results = answer.body.results as Result[];
    expect(results.map(({ invoiceId, amount }) => [invoiceId, amount])).to.deep.equal([
      [two, 20],
      [one, 17],
    ]);
    expect(answer.body.paymentIds).to.deep.equal(results.map(({ paymentId }) => paymentId));
    const { payments, paymentStatus, orders } = await shop.shown(`/orders/${one}`);
    expect([paymentStatus, orders[0].status]).to.deep.equal(['Paid', 'ReadyToFulfill']);
    expect(payments).to.have.length(1);
    expect(payments[0]).to.include({
      provider: 'manual',
      method: 'Bank',
      datePaid: '2026-01-02T00:00:00.000Z',
    });
    const captured = (await eventsIn(shop)).filter(
      ({ type, stream }) => type === 'PaymentCaptured' && stream.endsWith(one),
    );
    expect(captured.map(({ data }) => (data as { formData: unknown }).formData)).to.deep.equal([
      { description: 'Bank - Ref: May 4711' },
    ]);
  });

  it('says of what cannot be paid why, and pays the others', async () => {
    const paid = await order(1, 'tok_success');
    const pending = await order(1, 'tok_pending');
    const [cancelled, deleted, good] = [await order(), await order(), await order()];
    await when(manage.post(`/orders/${cancelled}/cancel`, { reason: 'Changed her mind' })).then(200);
    await when(manage.post('/orders/delete', { ids: [deleted] })).then(200);
    const invoiceIds = [nobody, paid, good, pending, cancelled, deleted];
    const answer = await when(manage.post(path, { invoiceIds, paymentMethod: 'Bank' })).then(200, {
      success: true,
      successCount: 1,
    });
    const results = answer.body.results as Result[];
    expect(results.map(({ success, message }) => [success, message])).to.deep.equal([
      [false, 'There is no such invoice.'],
      [false, 'This invoice has been paid already.'],
      [true, '£17.00 recorded.'],
      [
        false,
        'The outcome of another payment of this invoice is not known yet. Wait a moment and try again.',
      ],
      [false, 'This order has been cancelled.'],
      [false, 'There is no such invoice.'],
    ]);
    expect(answer.body.messages).to.have.length(5);
    expect(answer.body.messages[0]).to.equal(`${nobody}: There is no such invoice.`);
    expect(results[0]).to.include({ paymentId: null, amount: null });
  });

  it('answers 400 with the whole body where none can be paid, and writes nothing', async () => {
    const paid = await order(1, 'tok_success');
    await shop.settle();
    await when(manage.post(path, { invoiceIds: [nobody, paid], paymentMethod: 'Bank' }))
      .then(400, { success: false, successCount: 0, paymentIds: [] })
      .and(body(({ results, messages }) => expect([results.length, messages.length]).to.deep.equal([2, 2])))
      .and(noNewEvents());
  });

  it('is the same under the same key', async () => {
    const one = await order();
    const request = keyed('batch-1', manage.post(path, { invoiceIds: [one], paymentMethod: 'Bank' }));
    const { body: first } = await when(request).then(200, { successCount: 1 });
    await when(request).then(200, first).and(noNewEvents());
  });

  it('pays each invoice once when two batches come at once', async () => {
    const invoiceIds = [await order(), await order(), await order()];
    const batch = { invoiceIds, paymentMethod: 'Bank' };
    const answers = await Promise.all([1, 2].map(() => shop.admin.ask(manage.post(path, batch))));
    const counts = answers.map(({ body: { successCount } }) => successCount as number);
    expect(counts.reduce((sum, count) => sum + count, 0)).to.equal(3);
    for (const id of invoiceIds)
      expect(await shop.shown(`/invoices/${id}/payment-status`)).to.include({ amountPaid: 17, creditDue: 0 });
  });

  for (const [what, wrong, ...expected] of [
    ['an empty list', { invoiceIds: [], paymentMethod: 'Bank' }, 'invoiceIds: must not be empty'],
    ['nothing', {}, 'invoiceIds: must be a list', 'paymentMethod: must be text'],
    [
      'a blank method, a malformed id and a date that is none',
      { invoiceIds: ['x'], paymentMethod: ' ', dateReceived: 'yesterday' },
      'invoiceIds.0: must be a GUID',
      'paymentMethod: must not be empty',
      'dateReceived: must be an ISO 8601 date, or date and time with its offset',
    ],
    [
      'too many invoices',
      { invoiceIds: Array.from({ length: 1001 }, () => nobody), paymentMethod: 'Bank' },
      'invoiceIds: must have at most 1000 entries',
    ],
  ] as const)
    it(`refuses ${what}, and writes nothing`, async () => {
      await when(manage.post(path, wrong))
        .then(400, {
          success: false,
          successCount: 0,
          messages: [...expected],
          paymentIds: [],
          results: [],
          errors: [...expected],
        })
        .and(noNewEvents());
    });

  it('refuses what is no JSON in the same form', async () => {
    const message = 'The body could not be read as JSON.';
    await when({ ...manage.post(path, {}), body: '{ "invoiceIds": ' })
      .then(400, { success: false, message, successCount: 0, messages: [message], results: [] })
      .and(noNewEvents());
  });
});
