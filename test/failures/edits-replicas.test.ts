import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { auditEngines } from '#test/support/audit-shop.ts';
import { Browser } from '#test/support/browser.ts';
import { DistributedShop, sharedMemory } from '#test/support/distributed-shop.ts';
import { API_KEY } from '#test/support/shop.ts';
import { manage } from '#test/support/requests.ts';

/** docs/rules/invoice-editing.md#which-invoices */
describe('Edits at two replicas of the command service', () => {
  it('of what both have read: one is told; the last units go to one; without a version both are made', async () => {
    const { open, log } = sharedMemory();
    const shop = await DistributedShop.open({ engines: open, replicas: { command: 2 } });
    try {
      const mug = await shop.sell('mug', { price: 10 });
      const tea = await shop.sell('tea', { price: 4, stock: 3 });
      const order = async (): Promise<string> => {
        const shopper = shop.shopper();
        await shopper.prepare(mug, 1);
        const { invoiceId } = (await shopper.pay()).body;
        await shopper.payWith(invoiceId);
        return invoiceId;
      };
      const doors = shop
        .replicas('command')
        .map(({ at }) => new Browser(at.base, { Authorization: `Bearer ${API_KEY}` }));
      const both = (path: string, body: object, other = path) =>
        Promise.all(doors.map((door, index) => door.ask(manage.put(index === 0 ? path : other, body))));
      const [first, second] = [await order(), await order()];
      await shop.settle();
      const path = `/orders/${first}/edit`;

      const read = await both(path, { version: 0, orderDiscounts: [{ type: 'FixedAmount', value: 1 }] });
      expect(read.map(({ status }) => status).sort()).to.deep.equal([200, 409]);

      const unread = await both(path, { orderDiscounts: [{ type: 'FixedAmount', value: 1 }] });
      expect(unread.map(({ status }) => status)).to.deep.equal([200, 200]);
      const { body } = await shop.admin.ask(manage.get(path));
      expect([body.version, body.discountTotal]).to.deep.equal([3, 3]);

      const adding = { productsToAdd: [{ productId: tea, quantity: 2 }] };
      const added = await both(path, adding, `/orders/${second}/edit`);
      expect(added.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
      await shop.settle();
      const events = await log.readAll(0);
      const begun = events.filter(({ type }) => type === 'InvoiceEditBegun').length;
      expect(events.filter(({ type }) => type === 'InvoiceEditEnded')).to.have.length(begun);
    } finally {
      await shop.close();
    }
  });

  /** docs/rules/invoice-editing.md#stock */
  it('F01: the last unit goes to one of edits and shoppers, and nothing is kept for the others', async () => {
    const { open } = sharedMemory();
    const applicationKey = randomBytes(32);
    const environment = { APPLICATION_KEY: applicationKey.toString('base64') };
    const shop = await DistributedShop.open({ engines: open, replicas: { command: 2 }, environment });
    try {
      const mug = await shop.sell('mug', { price: 10 });
      const tea = await shop.sell('tea', { price: 4, stock: 1 });
      const orders = await Promise.all(
        shop.replicas('command').map(async ({ at }) => {
          const shopper = shop.shopper();
          await shopper.prepare(mug, 1);
          const { invoiceId } = (await shopper.pay()).body;
          return { invoiceId, door: new Browser(at.base, { Authorization: `Bearer ${API_KEY}` }) };
        }),
      );
      const shoppers = Array.from({ length: 8 }, () => shop.shopper());
      for (const [index, shopper] of shoppers.entries())
        await shopper.prepare(tea, 1, `s${index}@example.com`);
      const edit = { productsToAdd: [{ productId: tea, quantity: 1 }] };
      const answers = await Promise.all([
        ...orders.map(({ invoiceId, door }) => door.ask(manage.put(`/orders/${invoiceId}/edit`, edit))),
        ...shoppers.map((shopper) => shopper.pay()),
      ]);
      const won = answers.filter(({ status }) => status === 200);
      expect(won).to.have.length(1);
      for (const { status, body } of answers.filter((answer) => !won.includes(answer)))
        expect([status, body.message]).to.be.deep.oneOf([
          [400, 'Product tea: 1 more wanted, 0 available.'],
          [400, 'Product tea: 1 wanted, 0 available.'],
        ]);
      await shop.settle();
    } finally {
      await shop.close();
    }
    const { problems } = await auditEngines({ engines: await open(), applicationKey });
    expect(problems).to.deep.equal([]);
  });
});
