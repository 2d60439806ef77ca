import { expect } from 'chai';
import { DistributedShop, sharedMemory } from '#test/support/distributed-shop.ts';
import { manage } from '#test/support/requests.ts';

const environment = { Payments__Sandbox__Capture: 'manual' };

// docs/rules/authorizations.md#asking
describe('Money that is authorised, at two replicas of the command service', () => {
  let shop: DistributedShop;
  let tea: string;
  before(async () => {
    shop = await DistributedShop.open({
      engines: sharedMemory().open,
      replicas: { command: 2 },
      environment,
    });
    tea = await shop.sell('tea', { price: 10, stock: 5 });
  });
  after(() => shop.close());

  const authorized = async () => {
    const shopper = shop.shopper();
    await shopper.prepare(tea);
    const invoiceId = (await shopper.pay()).body.invoiceId as string;
    const { body } = await shopper.payWith(invoiceId);
    expect(body).to.include({ status: 'Authorized' });
    await shop.settle();
    return { invoiceId, paymentId: body.paymentId as string };
  };
  /** Both ask at the same time; one of them is answered 200. */
  const askAtOnce = async (paymentId: string, verbs: readonly string[]) => {
    const answers = await Promise.all(
      shop
        .replicas('command')
        .map(({ at }, index) =>
          at.admin.ask(manage.post(`/payments/${paymentId}/${verbs[index] ?? ''}`, {})),
        ),
    );
    await shop.settle();
    const done = answers.filter(({ status }) => status === 200);
    expect(done, JSON.stringify(answers.map(({ body }) => body as unknown))).to.have.length(1);
    for (const { status } of answers) expect(status).to.be.oneOf([200, 400, 409]);
    return done[0]?.body as { readonly status: string };
  };
  const statusOf = (invoiceId: string) => shop.shown(`/invoices/${invoiceId}/payment-status`);
  const chargeOf = async (invoiceId: string) =>
    (await shop.charges()).filter((charge) => charge.invoiceId === invoiceId).map(({ status }) => status);

  it('is captured once by two who capture it', async () => {
    const { invoiceId, paymentId } = await authorized();
    expect(await askAtOnce(paymentId, ['capture', 'capture'])).to.include({ status: 'Completed' });
    expect(await statusOf(invoiceId)).to.include({ amountPaid: 17, balanceDue: 0, authorizedAmount: 0 });
    expect(await chargeOf(invoiceId)).to.deep.equal(['Completed']);
  });

  it('is captured, or let go, where one captures and the other voids it', async () => {
    const { invoiceId, paymentId } = await authorized();
    const { status } = await askAtOnce(paymentId, ['capture', 'void']);
    const isCaptured = status === 'Completed';
    expect(await statusOf(invoiceId)).to.include({
      amountPaid: isCaptured ? 17 : 0,
      balanceDue: isCaptured ? 0 : 17,
      authorizedAmount: 0,
    });
    expect(await chargeOf(invoiceId)).to.deep.equal([isCaptured ? 'Completed' : 'Voided']);
  });
});
