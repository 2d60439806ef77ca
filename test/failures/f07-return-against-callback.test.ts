import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import { customerNamed } from '#test/support/account-customers.ts';
import { hoursLater } from '#test/support/left-checkouts.ts';
import { MailFolder } from '#test/support/mail-folder.ts';
import { startReceiver, type Receiver } from '#test/support/receiver.ts';
import { sendEvent } from '#test/support/provider-callbacks.ts';
import { manage, pay } from '#test/support/requests.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';
import { sendRecoveryMails } from '#test/support/storm-leaver.ts';
import { abandonedCheckoutId } from '#values/abandoned-checkout.ts';
import { streamOf } from '#values/stream-name.ts';

/** Both at once, or one after the other, each of them twice. */
const orders = ['at once', 'the return first', 'the callback first'] as const;

describe('F07: the payer comes back while the provider calls', () => {
  let shop: TestShop;
  let receiver: Receiver;
  let folder: string;
  let mug: string;

  before(async () => {
    receiver = await startReceiver();
    folder = mkdtempSync(join(tmpdir(), 'tillroll-f07-'));
    shop = await TestShop.open({ environment: { ALLOW_LOOPBACK_TARGETS: 'true', DATA_DIR: folder } });
    mug = await shop.sell('mug', { price: 10 });
    await shop.subscribe('invoice.paid', receiver.url);
    await sendRecoveryMails(shop);
  });
  after(async () => {
    await shop.close();
    await receiver.close();
    rmSync(folder, { recursive: true });
  });

  const atThePage = async (
    email: string,
  ): Promise<{ shopper: Shopper; invoiceId: string; sessionId: string }> => {
    const shopper = shop.shopper();
    await shopper.prepare(mug, 1, email);
    const { body } = await shopper.ask(pay({ methodAlias: 'redirect' }));
    return { shopper, invoiceId: body.invoiceId, sessionId: body.sessionId };
  };
  const paymentOf = ({ invoiceId, sessionId }: Awaited<ReturnType<typeof atThePage>>) => ({
    ...{ transactionId: sessionId, invoiceId, amount: 17, currency: 'GBP' },
  });
  const typesIn = async (stream: string) => {
    const types = (await eventsIn(shop)).filter((event) => event.stream === stream).map(({ type }) => type);
    return (type: string): number => types.filter((one) => one === type).length;
  };
  const subjectsTo = async (email: string): Promise<readonly string[]> =>
    (await new MailFolder(join(folder, 'mails')).to(email)).map(({ subject }) => subject).toSorted();

  for (const order of orders) {
    it(`${order}: it is one payment, one sale, one delivery, one charge, one conversion and one mail`, async () => {
      const email = `${order.replaceAll(' ', '-')}@example.com`;
      const page = await atThePage(email);
      const { shopper, invoiceId, sessionId } = page;
      const { basketId } = shopper;
      // The page was left, found abandoned, and written about.
      for (const hours of [1, 1]) await hoursLater(shop, hours);
      const reminded = await subjectsTo(email);
      expect(reminded).to.have.length(1);
      const deliveries = receiver.requests.length;
      const data = paymentOf(page);
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
      const count = await typesIn(streamOf.invoice(invoiceId));
      const record = await typesIn(streamOf.abandonedCheckout(abandonedCheckoutId(basketId)));
      expect({
        payments: count('PaymentCaptured'),
        sales: count('SaleConfirmed'),
        charges: (await shop.charges()).filter((charge) => charge.invoiceId === invoiceId).length,
        deliveries: receiver.requests.length - deliveries,
        conversions: record('CheckoutConverted'),
      }).to.deep.equal({ payments: 1, sales: 1, charges: 1, deliveries: 1, conversions: 1 });
      // The buyer goes on with the next basket, whoever was first.
      expect([...shopper.cookies.keys()]).to.include('shop_confirmation');
      expect((await shopper.basket()).body.itemCount).to.equal(0);
      // However long it is waited, nothing but the confirmation has gone out since.
      const number = (await shop.shown(`/orders/${invoiceId}`)).invoiceNumber as string;
      await hoursLater(shop, 200);
      const mails = await subjectsTo(email);
      expect(mails)
        .to.have.length(2)
        .and.to.include.members([...reminded]);
      expect(mails.filter((subject) => subject.includes(number))).to.have.length(1);
    });
  }

  it('with a no, and the callback with a yes: the payment stands', async () => {
    const page = await atThePage('no-and-yes@example.com');
    const { shopper, invoiceId, sessionId } = page;
    const path = `/api/shop/checkout/return?provider=sandbox&sessionId=${sessionId}&outcome=decline`;
    expect((await shopper.get(path)).body.status).to.equal('Failed');
    await sendEvent(shop.tester, { type: 'PaymentCompleted', data: paymentOf(page) });
    await shop.settle();
    const { body } = await shop.admin.get(`/backoffice/api/v1/orders/${invoiceId}`);
    expect(body).to.include({ paymentStatus: 'Paid', amountPaid: 17, creditDue: 0 });
  });

  // docs/rules/forgetting.md#keys
  it('once more when the buyer is forgotten: nothing comes of it, and none is written to', async () => {
    const email = 'forgotten@example.com';
    const page = await atThePage(email);
    const { shopper, invoiceId, sessionId } = page;
    await sendEvent(shop.tester, { type: 'PaymentCompleted', data: paymentOf(page) });
    await shop.settle();
    expect(await subjectsTo(email)).to.have.length(1);
    const customerId = await customerNamed(shop, email);
    const forgotten = await shop.admin.ask(manage.post(`/customers/${customerId}/forget`));
    expect(forgotten.body, forgotten.text).to.include({ status: 'Forgotten' });
    const late = await Promise.all([
      sendEvent(shop.tester, { type: 'PaymentCompleted', data: paymentOf(page) }),
      shopper.get(`/api/shop/checkout/return?provider=sandbox&sessionId=${sessionId}`),
    ]);
    for (const { status, text } of late) expect(status, text).to.be.below(500);
    await shop.settle();
    const count = await typesIn(streamOf.invoice(invoiceId));
    expect([count('PaymentCaptured'), count('SaleConfirmed')]).to.deep.equal([1, 1]);
    expect(await subjectsTo(email)).to.deep.equal([]);
  });
});
