import { expect } from 'chai';
import { sendEvent } from '#test/support/provider-callbacks.ts';
import {
  add,
  returnFromProvider,
  get,
  giveUp,
  manage,
  pay,
  payByHand,
  payElsewhere,
  payInvoice,
  readyToPay,
  type Step,
} from '#test/support/requests.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

describe('an invoice whose payment is awaited', () => {
  let shop: TestShop;
  let mug: string;

  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 1000 });
  });
  after(() => shop.close());

  const by = (shopper: Shopper, ...steps: readonly Step[]) => shop.given(...steps).by(shopper);
  const ordered = async () => {
    const shopper = shop.shopper();
    const { body } = await by(shopper, ...readyToPay(mug))
      .when(pay())
      .then(200);
    return { shopper, invoiceId: String(body.invoiceId) };
  };
  const elsewhere = async () => {
    const shopper = shop.shopper();
    const { body } = await by(shopper, ...readyToPay(mug))
      .when(payElsewhere('redirect'))
      .then(200);
    return { shopper, invoiceId: String(body.invoiceId), sessionId: String(body.sessionId) };
  };
  const listedAs = async (paymentStatus: string): Promise<readonly string[]> => {
    const { body } = await shop.admin.ask(
      manage.get(`/orders?paymentStatus=${paymentStatus}&cancellationStatus=all&pageSize=200`),
    );
    const rows = body.items as readonly { id: string; paymentStatus: string }[];
    expect(body.totalItems, `counted as ${paymentStatus}`).to.equal(rows.length);
    for (const row of rows) expect(row.paymentStatus).to.equal(paymentStatus);
    return rows.map(({ id }) => id);
  };

  /** Every read of the invoice says the same. */
  const expectIs = async (
    { shopper, invoiceId }: { readonly shopper: Shopper; readonly invoiceId: string },
    paymentStatus: string,
  ): Promise<void> => {
    await shop.settle();
    const [order, status, confirmation] = await Promise.all([
      shop.admin.ask(manage.get(`/orders/${invoiceId}`)),
      shop.admin.ask(manage.get(`/invoices/${invoiceId}/payment-status`)),
      shopper.ask(get(`/api/shop/checkout/confirmation/${invoiceId}`)),
    ]);
    expect([order, status, confirmation].map(({ body }) => body.paymentStatus)).to.deep.equal(
      Array(3).fill(paymentStatus),
    );
    const all = ['Unpaid', 'AwaitingPayment', 'PartiallyPaid', 'Paid'];
    const found = await Promise.all(
      all.map(async (one) => ((await listedAs(one)).includes(invoiceId) ? [one] : [])),
    );
    expect(found.flat(), 'the lists that have it').to.deep.equal([paymentStatus]);
  };

  it('is so from the start of a session, and unpaid again once the payer gives it up', async () => {
    const bought = await elsewhere();
    await expectIs(bought, 'AwaitingPayment');
    await by(bought.shopper)
      .when(giveUp({ sessionId: bought.sessionId }))
      .then(200);
    await expectIs(bought, 'Unpaid');
  });

  it('is unpaid again when the provider says no, and awaited with the next try', async () => {
    const bought = await elsewhere();
    await by(bought.shopper)
      .when(returnFromProvider({ sessionId: bought.sessionId, outcome: 'decline' }))
      .then(200, { status: 'Failed' });
    await expectIs(bought, 'Unpaid');
    await by(bought.shopper).when(payElsewhere('redirect')).then(200, { invoiceId: bought.invoiceId });
    await expectIs(bought, 'AwaitingPayment');
  });

  it('is so as long as one of two sessions is open', async () => {
    const bought = await elsewhere();
    const { body: second } = await by(bought.shopper)
      .when(payElsewhere('redirect', { returnUrl: '/elsewhere' }))
      .then(200, { invoiceId: bought.invoiceId });
    await by(bought.shopper)
      .when(giveUp({ sessionId: bought.sessionId }))
      .then(200);
    await expectIs(bought, 'AwaitingPayment');
    await by(bought.shopper)
      .when(giveUp({ sessionId: String(second.sessionId) }))
      .then(200);
    await expectIs(bought, 'Unpaid');
  });

  it('is paid when it is paid otherwise while a session is open', async () => {
    const bought = await elsewhere();
    await by(bought.shopper).when(payInvoice(bought.invoiceId)).then(200, { status: 'Completed' });
    await expectIs(bought, 'Paid');
  });

  it('is so while a provider owes the outcome of a card, and unpaid again once it has failed', async () => {
    const bought = await ordered();
    await expectIs(bought, 'Unpaid');
    const { body: owed } = await by(bought.shopper)
      .when(payInvoice(bought.invoiceId, { paymentMethodToken: 'tok_pending' }))
      .then(200, { status: 'Pending' });
    await expectIs(bought, 'AwaitingPayment');
    const data = {
      transactionId: owed.transactionId,
      invoiceId: bought.invoiceId,
      amount: 17,
      currency: 'GBP',
    };
    const told = await sendEvent(shop.tester, { type: 'PaymentFailed', data });
    expect(told.status).to.equal(200);
    await expectIs(bought, 'Unpaid');
    await sendEvent(shop.tester, { type: 'PaymentCompleted', data });
    await expectIs(bought, 'Paid');
  });

  it('is so while the bank looks at a card, and unpaid again once it says no', async () => {
    const bought = await ordered();
    const { body: sent } = await by(bought.shopper)
      .when(payInvoice(bought.invoiceId, { paymentMethodToken: 'tok_3ds' }))
      .then(200, { status: 'RequiresAction' });
    await expectIs(bought, 'AwaitingPayment');
    const outcome = { sessionId: String(sent.transactionId), outcome: 'decline' };
    await by(bought.shopper).when(returnFromProvider(outcome)).then(200, { status: 'Failed' });
    await expectIs(bought, 'Unpaid');
  });

  it('is not for a card that is declined at once, nor for a form that nobody has filled in', async () => {
    const bought = await ordered();
    await by(bought.shopper)
      .when(payInvoice(bought.invoiceId, { paymentMethodToken: 'tok_decline' }))
      .then(200, { success: false, status: 'Failed' });
    await expectIs(bought, 'Unpaid');
    await by(bought.shopper)
      .when(payByHand({ invoiceId: bought.invoiceId }))
      .then(200);
    await expectIs(bought, 'Paid');
  });

  it('is unpaid once its basket was placed again: nobody pays it any more', async () => {
    const bought = await elsewhere();
    const { body: next } = await by(bought.shopper, add(mug)).when(pay()).then(200);
    expect(next.invoiceId).to.not.equal(bought.invoiceId);
    await expectIs(bought, 'Unpaid');
  });

  it('is unpaid once staff have changed what it comes to: nobody can pay in the session any more', async () => {
    const bought = await elsewhere();
    const discount = { orderDiscounts: [{ type: 'FixedAmount', value: 5 }] };
    const { body: edited } = await shop.admin.ask(manage.put(`/orders/${bought.invoiceId}/edit`, discount));
    expect((edited.invoice as { paymentStatus: string }).paymentStatus).to.equal('Unpaid');
    await expectIs(bought, 'Unpaid');
  });
});
