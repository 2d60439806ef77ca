import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import { startReceiver, type Receiver } from '#test/support/receiver.ts';
import { sendEvent } from '#test/support/provider-callbacks.ts';
import { pay } from '#test/support/requests.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

/** Both at once, or one after the other, each of them twice. */
const orders = ['at once', 'the return first', 'the callback first'] as const;

describe('F07: the payer comes back while the provider calls', () => {
  let shop: TestShop;
  let receiver: Receiver;
  let mug: string;

  before(async () => {
    receiver = await startReceiver();
    shop = await TestShop.open({ environment: { ALLOW_LOOPBACK_TARGETS: 'true' } });
    mug = await shop.sell('mug', { price: 10 });
    await shop.subscribe('invoice.paid', receiver.url);
  });
  after(async () => {
    await shop.close();
    await receiver.close();
  });

  const atThePage = async (): Promise<{ shopper: Shopper; invoiceId: string; sessionId: string }> => {
    const shopper = shop.shopper();
    await shopper.prepare(mug);
    const { body } = await shopper.ask(pay({ methodAlias: 'redirect' }));
    return { shopper, invoiceId: body.invoiceId, sessionId: body.sessionId };
  };

  for (const order of orders) {
    it(`${order}: it is one payment, one sale, one delivery and one charge`, async () => {
      const { shopper, invoiceId, sessionId } = await atThePage();
      const deliveries = receiver.requests.length;
      const data = { transactionId: sessionId, invoiceId, amount: 17, currency: 'GBP' };
      const calls = [newId(), newId()].map(
        (id) => () => sendEvent(shop.tester, { id, type: 'PaymentCompleted', data }),
      );
      const path = `/api/shop/checkout/return?provider=sandbox&sessionId=${sessionId}`;
      const returns = [1, 2].map(() => () => shopper.get(path));
      const steps = order === 'the return first' ? [returns, calls] : [calls, returns];
      const answers =
        order === 'at once'
          ? await Promise.all(steps.flat().map((step) => step()))
          : [
              ...(await Promise.all(steps[0]?.map((step) => step()) ?? [])),
              ...(await Promise.all(steps[1]?.map((step) => step()) ?? [])),
            ];
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
      const back = answers.filter(({ body }) => body.invoiceId === invoiceId);
      expect(back.map(({ body }) => body.status)).to.deep.equal(['Completed', 'Completed']);

      await shop.settle();
      const types = (await eventsIn(shop))
        .filter(({ stream }) => stream === `invoice-${invoiceId}`)
        .map(({ type }) => type);
      const count = (type: string): number => types.filter((one) => one === type).length;
      expect({
        payments: count('PaymentCaptured'),
        sales: count('SaleConfirmed'),
        charges: (await shop.charges()).filter((charge) => charge.invoiceId === invoiceId).length,
        deliveries: receiver.requests.length - deliveries,
      }).to.deep.equal({ payments: 1, sales: 1, charges: 1, deliveries: 1 });
      // The buyer goes on with the next basket, whoever was first.
      expect([...shopper.cookies.keys()]).to.include('shop_confirmation');
      expect((await shopper.basket()).body.itemCount).to.equal(0);
    });
  }

  it('with a no, and the callback with a yes: the payment stands', async () => {
    const { shopper, invoiceId, sessionId } = await atThePage();
    const path = `/api/shop/checkout/return?provider=sandbox&sessionId=${sessionId}&outcome=decline`;
    expect((await shopper.get(path)).body.status).to.equal('Failed');
    const data = { transactionId: sessionId, invoiceId, amount: 17, currency: 'GBP' };
    await sendEvent(shop.tester, { type: 'PaymentCompleted', data });
    await shop.settle();
    const { body } = await shop.admin.get(`/backoffice/api/v1/orders/${invoiceId}`);
    expect(body).to.include({ paymentStatus: 'Paid', amountPaid: 17, creditDue: 0 });
  });
});
